// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/mount_difference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/base/json.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/excitation.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {
namespace {

// A rig that is quick rather than fine: both mounts go through the same steps.
RigOptions quick_rig() {
  RigOptions options;
  options.samples_per_cycle = 64;
  options.measured_cycles = 1;
  options.max_cycles = 40;
  options.settle_tolerance = 1e-5;
  return options;
}

constexpr int static_pieces = 40;  // to each side

double static_place(const DifferenceGrid& grid, std::size_t i) {
  return grid.reach * (static_cast<int>(i) - static_pieces) / static_pieces;
}

std::vector<MountDifference::Place> places(const DifferenceGrid& grid) {
  std::vector<MountDifference::Place> out;
  for (const double preload : grid.preloads)
    for (const double amplitude : grid.amplitudes)
      for (const double hz : grid.frequencies_hz) out.push_back({hz, amplitude, preload});
  return out;
}

std::vector<std::complex<double>> map_of(const Mount& mount, const DifferenceGrid& grid) {
  std::vector<std::complex<double>> out;
  for (const auto& at : places(grid)) {
    const SteadyResponse response =
        run_rig_point(mount, quick_rig(), at.frequency_hz, at.amplitude, at.preload).response;
    out.push_back(std::polar(response.k_dyn, response.loss_angle));
  }
  return out;
}

std::vector<double> force_on(const Mount& given, const Excitation& path) {
  const auto mount = given.clone();
  std::vector<double> force;
  const auto motion = [&](std::size_t i) { return Motion<double>{path.displacement[i], path.velocity[i]}; };
  mount->start(motion(0));
  force.push_back(mount->peek(motion(0)));
  for (std::size_t i = 1; i < path.time.size(); ++i)
    force.push_back(mount->advance(motion(i), path.time[i] - path.time[i - 1]));
  return force;
}

// Largest difference of two lists, relative to the range of the first; where, is told by its index.
double range_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t& at) {
  const auto [low, high] = std::minmax_element(a.begin(), a.end());
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double here = std::abs(b[i] - a[i]) / (*high - *low); here > worst) worst = here, at = i;
  return worst;
}

void compare_maps(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b,
                  const DifferenceGrid& grid, MountDifference& out) {
  const auto at = places(grid);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double k = std::abs(std::abs(b[i]) / std::abs(a[i]) - 1.0), angle = std::abs(std::arg(b[i] / a[i]));
    if (k > out.k_dyn_rel) out.k_dyn_rel = k, out.k_dyn_at = at[i];
    if (angle > out.loss_angle) out.loss_angle = angle, out.loss_angle_at = at[i];
  }
}

// [first, last] of a table's first column; nothing when it is none.
bool span_of(const Json& table, double& first, double& last) {
  if (!table.is_array() || table.empty() || !table.front().is_array()) return false;
  first = table.front()[0].get<double>(), last = table.back()[0].get<double>();
  return true;
}

const Json& member(const Json& object, const char* key) {
  static const Json none;
  return object.is_object() && object.contains(key) ? object[key] : none;
}

}  // namespace

DifferenceGrid difference_grid(const Mount& mount, AxisKind axis) {
  Json model;
  mount.to_json(model);
  const Json &parameters = member(model, "parameters"), &main = member(model, "main_rubber");
  DifferenceGrid grid;
  double largest = axis == AxisKind::rotation ? std::numbers::pi / 180.0 : 1e-3, first = 0.0, last = 0.0;
  grid.reach = 3.0 * largest;
  grid.preloads = {0.0};
  const Json& curve = member(main.is_object() ? member(main, "parameters") : parameters, "curve");
  if (span_of(curve, first, last)) {
    grid.reach = std::max(std::abs(first), std::abs(last));
    largest = std::min(largest, 0.25 * (last - first));
    grid.preloads.push_back(mount.static_force(first + 0.75 * (last - first)));
  }
  if (span_of(member(parameters, "chamber_preload_curve"), first, last))
    grid.preloads.insert(grid.preloads.end(), {first, last});
  grid.frequencies_hz = {1.0, 5.0, 10.0, 30.0};
  grid.amplitudes = {0.1 * largest, 0.5 * largest, largest};
  grid.path_s = 10.0;
  if (span_of(member(parameters, "switch_signal"), first, last)) grid.path_s = std::clamp(last + 2.0, 10.0, 60.0);
  for (const Json* table : temperature_tables(model))
    if (span_of(*table, first, last)) grid.temperatures_c.insert(grid.temperatures_c.end(), {first, last});
  std::sort(grid.temperatures_c.begin(), grid.temperatures_c.end());
  if (grid.temperatures_c.size() > 2) grid.temperatures_c = {grid.temperatures_c.front(), grid.temperatures_c.back()};
  return grid;
}

PointDifference difference_at(const Mount& model, const Mount& other, double frequency_hz, double amplitude,
                              double preload) {
  const auto at = [&](const Mount& mount) {
    return run_rig_point(mount, {}, frequency_hz, amplitude, preload).response;
  };
  return {at(model), at(other)};
}

RigPrint rig_print(const Mount& mount, const DifferenceGrid& grid) {
  RigPrint out;
  for (std::size_t i = 0; i <= 2 * static_pieces; ++i)
    out.static_force.push_back(mount.static_force(static_place(grid, i)));
  out.stiffness = map_of(mount, grid);
  out.path_force =
      force_on(mount, random_excitation(grid.amplitudes.back() / 3.0, 0.2, 30.0, 1.0, grid.path_s, 500.0, 1));
  Json json;
  mount.to_json(json);
  const bool knows = !temperature_tables(json).empty();
  for (const double temperature_c : grid.temperatures_c)
    out.hot.push_back(knows ? map_of(*mount.at_temperature(temperature_c), grid) : out.stiffness);
  return out;
}

MountDifference mount_difference(const RigPrint& model, const RigPrint& other, const DifferenceGrid& grid) {
  MountDifference out;
  std::size_t at = 0;
  out.path_rel = range_difference(model.path_force, other.path_force, at);
  out.static_rel = range_difference(model.static_force, other.static_force, at);
  out.static_at = static_place(grid, at);
  compare_maps(model.stiffness, other.stiffness, grid, out);
  for (std::size_t i = 0; i < grid.temperatures_c.size(); ++i) {
    MountDifference hot;
    compare_maps(model.hot[i], other.hot[i], grid, hot);
    if (hot.k_dyn_rel <= out.hot_k_dyn_rel && hot.loss_angle <= out.hot_loss_angle) continue;
    out.hot_at_c = grid.temperatures_c[i];
    out.hot_k_dyn_rel = std::max(out.hot_k_dyn_rel, hot.k_dyn_rel);
    out.hot_loss_angle = std::max(out.hot_loss_angle, hot.loss_angle);
  }
  return out;
}

}  // namespace kdyn::inline rig
