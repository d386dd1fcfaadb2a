// SPDX-License-Identifier: Apache-2.0
// Model files with parameters, expressions, includes and subsystems, made plain: what is left has numbers and parts only
// and is read as any other model (model_file.hpp). docs/multibody.md has the full description.
//
//   "parameters": {"track": 1.5, "k": {"value": 200, "unit": "N/mm"}, "half": "=track/2"}
//   "=track/2 + 30*mm"            anywhere in place of a number; the names of parameters also stand in formulas of forces
//   "include": ["common.json"]    parts and parameters of another file
//   "subsystems": [{"name": "left", "file": "corner.json", "parameters": {"k": "=k"}, "mirror": "y", "position": [0, 0, 0],
//                   "connect": {"body": "chassis"}}]
// Parts of a subsystem are called NAME_PART. A mirrored one lies on the other side of the plane through the origin.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"

namespace kdyn::mbs {

struct ExpandedModel {
  Json model;                                // without parameters, include and subsystems
  std::vector<std::string> files;            // that were included, as folder/name
  std::map<std::string, double> parameters;  // of the model itself, in SI units
};

// `values` take the place of parameters of the model; unknown names throw.
ExpandedModel expand_model(const Json& in, const std::string& where, const std::string& folder,
                           const std::map<std::string, double>& values = {});

}  // namespace kdyn::mbs
