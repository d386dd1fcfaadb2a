// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/mbs/internal/axis_law_makers.hpp"
#include "kdyn/mbs/internal/axis_law_of.hpp"

namespace kdyn::mbs {

std::unique_ptr<AxisLaw> hydromount_axis(const Json& in, const std::string& where) {
  return std::make_unique<AxisLawOf<HydroMount<double>>>(hydromount_from_json(in, where), "hydromount", &model_json, &hydromount_from_json);
}

}  // namespace kdyn::mbs
