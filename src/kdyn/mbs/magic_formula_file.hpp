// SPDX-License-Identifier: Apache-2.0
// The Magic Formula of a property file.
//
// PAC2002 and MF-Tyre 5.2 (FITTYP 6, 21, 52). Other formats, degrees and what makes the formula meaningless (a load, a
// friction or a stiffness of 0) are refused; coefficients that are not 0 and that kdyn does not use are told by name.
#pragma once

#include <string>
#include <vector>

#include "kdyn/io/tyre_file.hpp"
#include "kdyn/mbs/magic_formula.hpp"

namespace kdyn::mbs {

MagicFormula magic_formula_of(const TyreFile& file, std::vector<Finding>& findings);

}  // namespace kdyn::mbs
