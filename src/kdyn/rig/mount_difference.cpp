// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/mount_difference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/base/json.hpp"
#include "kdyn/rig/excitation.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn {
namespace {

// A rig that is quick rather than fine: both mounts go through the same steps.
RigOptions quick_rig() {
  RigOptions options;
  options.samples_per_cycle = 128;
  options.measured_cycles = 1;
  options.max_cycles = 60;
  options.settle_tolerance = 1e-6;
  return options;
}

void compare_static(const Mount& a, const Mount& b, double reach, MountDifference& out) {
  constexpr int pieces = 40;
  const double range = std::abs(a.static_force(reach) - a.static_force(-reach));
  for (int i = -pieces; i <= pieces; ++i) {
    const double u = reach * i / pieces, difference = std::abs(b.static_force(u) - a.static_force(u)) / range;
    if (difference > out.static_rel) out.static_rel = difference, out.static_at = u;
  }
}

void compare_map(const Mount& a, const Mount& b, const DifferenceGrid& grid, MountDifference& out) {
  for (const double preload : grid.preloads)
    for (const double amplitude : grid.amplitudes)
      for (const double hz : grid.frequencies_hz) {
        const PointDifference point = difference_at(a, b, hz, amplitude, preload);
        const double k = std::abs(point.other.k_dyn / point.model.k_dyn - 1.0);
        const double angle = std::abs(std::remainder(point.other.loss_angle - point.model.loss_angle, 2.0 * std::numbers::pi));
        if (k > out.k_dyn_rel) out.k_dyn_rel = k, out.k_dyn_at = {hz, amplitude, preload};
        if (angle > out.loss_angle) out.loss_angle = angle, out.loss_angle_at = {hz, amplitude, preload};
      }
}

std::vector<double> force_on(const Mount& given, const Excitation& path) {
  const auto mount = given.clone();
  std::vector<double> force;
  const auto motion = [&](std::size_t i) { return Motion<double>{path.displacement[i], path.velocity[i]}; };
  mount->start(motion(0));
  force.push_back(mount->peek(motion(0)));
  for (std::size_t i = 1; i < path.time.size(); ++i) force.push_back(mount->advance(motion(i), path.time[i] - path.time[i - 1]));
  return force;
}

void compare_path(const Mount& a, const Mount& b, const DifferenceGrid& grid, MountDifference& out) {
  const Excitation path = random_excitation(grid.amplitudes.back() / 3.0, 0.2, 30.0, 1.0, grid.path_s, 500.0, 1);
  const std::vector<double> force_a = force_on(a, path), force_b = force_on(b, path);
  const auto [low, high] = std::minmax_element(force_a.begin(), force_a.end());
  for (std::size_t i = 0; i < force_a.size(); ++i) out.path_rel = std::max(out.path_rel, std::abs(force_b[i] - force_a[i]) / (*high - *low));
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
  if (span_of(member(parameters, "chamber_preload_curve"), first, last)) grid.preloads.insert(grid.preloads.end(), {first, last});
  grid.frequencies_hz = {1.0, 5.0, 10.0, 20.0, 40.0};
  grid.amplitudes = {0.1 * largest, 0.5 * largest, largest};
  grid.path_s = 10.0;
  if (span_of(member(parameters, "switch_signal"), first, last)) grid.path_s = std::clamp(last + 2.0, 10.0, 60.0);
  if (span_of(member(model, "temperature"), first, last)) grid.temperatures_c = {first, last};
  return grid;
}

PointDifference difference_at(const Mount& model, const Mount& other, double frequency_hz, double amplitude, double preload) {
  const auto at = [&](const Mount& mount) { return run_rig_point(mount, quick_rig(), frequency_hz, amplitude, preload).response; };
  return {at(model), at(other)};
}

MountDifference mount_difference(const Mount& model, const Mount& other, const DifferenceGrid& grid) {
  MountDifference out;
  compare_static(model, other, grid.reach, out);
  compare_map(model, other, grid, out);
  compare_path(model, other, grid, out);
  Json json;
  other.to_json(json);
  const bool knows = !member(json, "temperature").is_null();
  for (const double temperature_c : grid.temperatures_c) {
    MountDifference hot;
    compare_map(*model.at_temperature(temperature_c), knows ? *other.at_temperature(temperature_c) : other, grid, hot);
    if (hot.k_dyn_rel <= out.hot_k_dyn_rel && hot.loss_angle <= out.hot_loss_angle) continue;
    out.hot_at_c = temperature_c;
    out.hot_k_dyn_rel = std::max(out.hot_k_dyn_rel, hot.k_dyn_rel);
    out.hot_loss_angle = std::max(out.hot_loss_angle, hot.loss_angle);
  }
  return out;
}

}  // namespace kdyn
