// SPDX-License-Identifier: Apache-2.0
// Models whose lengths, inertias or gravity look like another unit: a factor of a thousand is told.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

void doubt_units(const Model& model, const std::string& where, std::vector<Finding>& findings);

}  // namespace kdyn::mbs
