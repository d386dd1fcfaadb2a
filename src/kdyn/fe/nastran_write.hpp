// SPDX-License-Identifier: Apache-2.0
// A finite-element model as Nastran bulk data, SI units: what model_of() reads back to the same matrices.
//
// Numbers that do not fit eight characters without loss make their card a large-field one (about 11 digits). Beams
// become CBEAM or CBAR with their section constants, springs CBUSH with a coordinate system of their axes, scalar
// springs CELAS2, supports SPC1 of set 1, linear constraints MPC of set 1. The consistent mass is asked for with
// PARAM,COUPMASS.
#pragma once

#include <string>

#include "kdyn/fe/model.hpp"

namespace kdyn::fe {

struct NastranWriteOptions {
  int modes = 30;                     // of the EIGRL card
  std::vector<std::string> comments;  // lines at the top
};

// Throws Error(bad_input) when a label does not fit a field (1 .. 99999999).
std::string nastran_text(const Model& model, const NastranWriteOptions& options = {});

}  // namespace kdyn::fe
