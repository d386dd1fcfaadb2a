// SPDX-License-Identifier: Apache-2.0
// What the tables that drive joints cannot tell, or the steps of a run cannot follow: motions and loads.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

std::vector<Finding> check_motions(const Model& model, double step_s, double duration_s, const std::string& where);

// Loads over time that steps of one length pass over: a blow between two steps moves nothing, and a load above half the
// rate of the steps is another load. Compares, step by step, the impulse between its ends with the trapezoid of them.
// Runs of more than 50 000 steps are looked at up to there.
std::vector<Finding> check_loads(const Model& model, double step_s, double duration_s, const std::string& where);

}  // namespace kdyn::mbs
