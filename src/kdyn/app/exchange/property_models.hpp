// SPDX-License-Identifier: Apache-2.0
// A property file as the mounts it describes: one model for each direction, and how the translations are coupled.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn::app {

struct PropertyModels {
  std::array<std::optional<Json>, 6> axes;  // fx fy fz tx ty tz; absent: no spring there
  std::string coupling = "none";            // as in model files: none, cylindrical, spherical
  std::array<double, 6> place{};            // position in m, rotation vector in rad

  bool empty() const;
};

// `law` replaces the friction law of the file unless it is empty. A model that its law refuses is a serious finding and
// left out.
PropertyModels property_models(const Exchange& exchange, const std::string& law, std::vector<Finding>& findings);

// {"model": "bushing", ...} of all axes.
Json bushing_model(const PropertyModels& models);

}  // namespace kdyn::app
