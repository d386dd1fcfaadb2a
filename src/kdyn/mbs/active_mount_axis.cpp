// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/mbs/internal/axis_law_makers.hpp"
#include "kdyn/mbs/internal/axis_law_of.hpp"

namespace kdyn::mbs {

// Passive: voltage zero. Its amplitude table and variations belong to the analysis of the controlled mount.
std::unique_ptr<AxisLaw> active_mount_axis(const Json& in, const std::string& where) {
  const auto read = [](const Json& json, const std::string& place) { return active_mount_from_json(json, place).law; };
  return std::make_unique<AxisLawOf<ActiveMount<double>>>(read(in, where), "activemount", &model_json, read);
}

}  // namespace kdyn::mbs
