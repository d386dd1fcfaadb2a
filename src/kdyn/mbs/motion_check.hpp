// SPDX-License-Identifier: Apache-2.0
// What the tables that drive joints cannot tell, or the steps of a run cannot follow.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

std::vector<Finding> check_motions(const Model& model, double step_s, double duration_s, const std::string& where);

}  // namespace kdyn::mbs
