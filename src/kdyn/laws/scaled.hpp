// SPDX-License-Identifier: Apache-2.0
// A law times a number: "scale" beside "model" in a model file multiplies the force, static and dynamic, on the rig, in
// multibody models and in exported models (laws/unit.hpp). It is fixed: fits and gradients leave it alone. Signals
// inside the mount are those of the law itself. "temperature_c" beside it takes the law at this temperature, by the
// file's temperature table, everywhere alike.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/laws/axis_law.hpp"

namespace kdyn::inline laws {

// A model file's object at its temperature and without its scale, and the scale: 1 when there is none. Throws
// Error(bad_input) when the scale is no number above 0, or the model has no temperature table for its temperature.
struct ScaledModel {
  Json model;
  double scale = 1.0;
  std::optional<double> temperature_c;
};
// The same with its temperature beside it instead of in its parameters.
ScaledModel plain_model(const Json& in, const std::string& where);
ScaledModel scaled_model(const Json& in, const std::string& where);

// The mount or law itself when the scale is 1.
std::unique_ptr<Mount> scaled(std::unique_ptr<Mount> mount, double scale);
std::unique_ptr<AxisLaw> scaled(std::unique_ptr<AxisLaw> law, double scale);

}  // namespace kdyn::inline laws
