// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/map_noise.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "kdyn/base/angle.hpp"
#include "kdyn/numerics/levels.hpp"
#include "kdyn/numerics/scatter.hpp"

namespace kdyn::inline identify {
namespace {

double wrapped_angle(double x) { return std::remainder(x, 2.0 * std::numbers::pi); }

}  // namespace

MapNoise map_noise(const StiffnessMap& map, const std::vector<bool>& used) {
  std::vector<double> amplitudes;
  for (const MapRow& row : map.rows)
    amplitudes.push_back(row.nominal_amplitude > 0.0 ? row.nominal_amplitude : row.amplitude);
  const std::vector<double> levels = levels_of(amplitudes);
  struct Curve {
    std::vector<double> f, k, angle;
  };
  std::map<std::pair<long, std::size_t>, Curve> curves;  // preloads within 1 N are one
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const MapRow& row = map.rows[i];
    if (!used[i] || !(row.k_dyn > 0.0) || !(row.frequency_hz > 0.0)) continue;
    Curve& curve = curves[{std::lround(row.preload), nearest_level(levels, amplitudes[i])}];
    curve.f.push_back(std::log(row.frequency_hz));
    curve.k.push_back(std::log(row.k_dyn));
    curve.angle.push_back(row.loss_angle);
  }
  Scatter k, angle;
  for (const auto& [level, curve] : curves) {
    k.add(curve.f, curve.k);
    angle.add(curve.f, curve.angle);
  }
  return {k.noise(), angle.noise()};
}

std::vector<GateChannel> map_channels(const StiffnessMap& map, const std::vector<bool>& used,
                                      const std::vector<ModelRow>& model, const MapNoise& known) {
  const MapNoise seen = map_noise(map, used);
  const bool turning = map.axis == AxisKind::rotation;
  GateChannel k, angle;
  k.name = "stiffness", k.unit = "%", k.factor = 100.0;
  k.noise = known.k_dyn_rel > 0.0 ? known.k_dyn_rel : seen.k_dyn_rel;
  k.finest = finest_k_dyn_rel, k.coarsest = coarsest_k_dyn_rel;
  angle.name = "loss angle", angle.unit = "deg", angle.factor = 1.0 / degree;
  angle.noise = known.loss_angle > 0.0 ? known.loss_angle : seen.loss_angle;
  angle.finest = finest_loss_angle, angle.coarsest = coarsest_loss_angle;
  GateAxis frequency{"frequency", "Hz", 1.0, {}},
      amplitude{"amplitude", turning ? "deg" : "mm", turning ? 1.0 / degree : 1e3, {}},
      preload{"preload", turning ? "N*m" : "N", 1.0, {}};
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    if (!used[i]) continue;
    const MapRow& row = map.rows[i];
    k.residuals.push_back(model[i].k_dyn / row.k_dyn - 1.0);
    angle.residuals.push_back(wrapped_angle(model[i].loss_angle - row.loss_angle));
    frequency.values.push_back(row.frequency_hz);
    amplitude.values.push_back(row.amplitude);
    preload.values.push_back(row.preload);
  }
  k.axes = angle.axes = {frequency, amplitude, preload};
  return {k, angle};
}

GateChannel force_channel(const std::string& name, AxisKind axis, const std::vector<double>& place,
                          const std::vector<double>& measured, const std::vector<double>& model) {
  GateChannel channel;
  channel.name = name;
  channel.unit = axis == AxisKind::rotation ? "N*m" : "N";
  const auto [low, high] = std::minmax_element(measured.begin(), measured.end());
  const double range = measured.empty() ? 0.0 : std::max(*high - *low, 1e-300);
  channel.finest = finest_force_share * range;
  channel.coarsest = coarsest_force_share * range;
  std::vector<double> order(measured.size());
  std::iota(order.begin(), order.end(), 0.0);
  Scatter scatter;
  scatter.add(order, measured);
  channel.noise = scatter.noise();
  for (std::size_t i = 0; i < measured.size(); ++i) channel.residuals.push_back(model[i] - measured[i]);
  const bool turning = axis == AxisKind::rotation;
  if (place.size() == measured.size())
    channel.axes.push_back(
        {turning ? "angle" : "displacement", turning ? "deg" : "mm", turning ? 1.0 / degree : 1e3, place});
  return channel;
}

bool map_shows_resonance(const StiffnessMap& map) {
  // Rubber loses at most some 20 deg; a fluid column turns the force by far more, and the stiffness falls before it
  // rises.
  std::size_t steep = 0;
  for (const MapRow& row : map.rows) steep += row.loss_angle > 28.0 * degree;
  return 20 * steep > map.rows.size();
}

}  // namespace kdyn::inline identify
