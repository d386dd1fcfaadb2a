// SPDX-License-Identifier: Apache-2.0
// The parts of a subsystem in its own words, moved into a model: renamed, shifted and mirrored. With the reflection M
// across the plane normal to one axis, positions and forces become M x, rotations and torques -M x, frames M R M: they
// stay right-handed, with the axis of that letter turned round.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"

namespace kdyn::mbs {

struct Placement {
  std::string prefix;  // of the names of its parts
  int mirror = -1;     // axis 0..2; -1: not mirrored
  std::vector<double> shift = {0.0, 0.0, 0.0};
  std::map<std::string, std::string> connect;  // names it uses of others -> their names in the model
};

// Keys of a model that hold lists of parts.
extern const std::vector<std::string> part_lists;

// Calls f for every formula of a model that stands as text.
void each_formula(Json& model, const std::function<void(Json&)>& f);

// `model` is an expanded subsystem; the result holds its lists of parts and tables. Errors name `where`.
Json placed(const Json& model, const Placement& placement, const std::string& where);

}  // namespace kdyn::mbs
