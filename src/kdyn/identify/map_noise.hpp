// SPDX-License-Identifier: Apache-2.0
// Noise of a dynamic-stiffness map without any model: scatter along frequency at each amplitude and preload
// (numerics/scatter.hpp); and the channels by which the gate of fits judges a model against a map
// (numerics/fit_gate.hpp).
#pragma once

#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/numerics/fit_gate.hpp"

namespace kdyn::inline identify {

struct MapNoise {
  double k_dyn_rel = 0.0, loss_angle = 0.0;  // standard deviations, rad; 0: the map is too thin to tell
};
MapNoise map_noise(const StiffnessMap& map, const std::vector<bool>& used);

// What a bench repeats to at best, and what nobody would call noise any more.
inline constexpr double finest_k_dyn_rel = 0.005, coarsest_k_dyn_rel = 0.04;
inline constexpr double finest_loss_angle = 0.0035, coarsest_loss_angle = 0.035;  // rad: 0.2 and 2 deg
inline constexpr double finest_force_share = 0.005, coarsest_force_share = 0.04;  // of the range of a record

// Two channels, stiffness and loss angle, of the used rows. `model` holds stiffness and loss angle of every row.
struct ModelRow {
  double k_dyn = 0.0, loss_angle = 0.0;
};
std::vector<GateChannel> map_channels(const StiffnessMap& map, const std::vector<bool>& used,
                                      const std::vector<ModelRow>& model, const MapNoise& known = {});

// A channel of a record of force: a loop over displacement, or a transient.
GateChannel force_channel(const std::string& name, AxisKind axis, const std::vector<double>& place,
                          const std::vector<double>& measured, const std::vector<double>& model);

// What the elastomer may lack, read from the map itself: a resonance of a fluid, for one.
bool map_shows_resonance(const StiffnessMap& map);

}  // namespace kdyn::inline identify
