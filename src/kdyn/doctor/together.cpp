// SPDX-License-Identifier: Apache-2.0
// The data doctor on the files of one direction against each other.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/doctor/doctor.hpp"
#include "kdyn/doctor/sweeps.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {
namespace {

// Slope of the static curve where it carries `force`: both branches, 30 % of the travel around that point.
std::optional<double> static_stiffness_at(const StaticLoop& loop, double force) {
  const doctor::Range x_range = doctor::range_of(loop.displacement), f_range = doctor::range_of(loop.force);
  std::vector<double> there;
  for (std::size_t i = 0; i < loop.force.size(); ++i)
    if (std::abs(loop.force[i] - force) < 0.05 * f_range.width()) there.push_back(loop.displacement[i]);
  if (there.empty()) return std::nullopt;
  const double centre = median(std::move(there));
  std::vector<double> x, f;
  for (std::size_t i = 0; i < loop.force.size(); ++i)
    if (std::abs(loop.displacement[i] - centre) < 0.15 * x_range.width())
      x.push_back(loop.displacement[i]), f.push_back(loop.force[i]);
  const double slope = doctor::trend(x, f).slope;
  if (x.size() < 4 || !(slope > 0.0)) return std::nullopt;
  return slope;
}

// Rubber hardens by 1.1 to 3 between slow and fast; beyond this a unit is the likelier reason.
constexpr double hardening_max = 8.0, far_below = 0.4;

const char* likely_factor(double ratio) {
  const double size = ratio > 1.0 ? ratio : 1.0 / ratio;
  return size < 20.0 ? "kgf under N is a factor of 9.81" : "in under mm is a factor of 25.4";
}

void map_with_loop(const StiffnessMap& map, const StaticLoop& loop, const DoctorOptions& options,
                   doctor::Chart& chart) {
  const doctor::Range f_range = doctor::range_of(loop.force), x_range = doctor::range_of(loop.displacement);
  if (!(f_range.width() > 0.0) || !(x_range.width() > 0.0)) return;
  const AxisKind axis = map.axis;

  std::vector<double> preloads, amplitudes;
  double largest = 0.0;
  for (const MapRow& row : map.rows)
    preloads.push_back(row.preload), amplitudes.push_back(row.amplitude),
        largest = std::max(largest, std::abs(row.preload));
  const doctor::Range driven = doctor::range_of(amplitudes);
  const double reach = 0.5 * x_range.width();
  if (driven.low > 20.0 * reach || driven.high < reach / 5000.0)
    chart.add(Severity::serious, "unit_mismatch", map.rows.front().line,
              fmt::format("amplitudes of {} to {} do not go with a static travel of {} to {}",
                          doctor::show_length(driven.low, axis), doctor::show_length(driven.high, axis),
                          doctor::show_length(x_range.low, axis), doctor::show_length(x_range.high, axis)),
              "check the units of amplitude and displacement in both files");

  std::vector<std::size_t> level;
  const std::vector<double> levels = doctor::find_levels(preloads, 0.05 * largest, level);
  for (std::size_t p = 0; p < levels.size(); ++p) {
    std::vector<double> k;
    std::size_t line = 0;
    for (std::size_t r = 0; r < map.rows.size(); ++r)
      if (level[r] == p) {
        k.push_back(map.rows[r].k_dyn);
        if (line == 0) line = map.rows[r].line;
      }
    const double k_dyn = median(std::move(k)), slack = 0.05 * f_range.width();
    if (levels[p] < f_range.low - slack || levels[p] > f_range.high + slack) {
      chart.add(Severity::warning, "preload_outside_static", line,
                fmt::format("preload {} lies outside the static curve, which covers {} to {}",
                            doctor::show_force(levels[p], axis), doctor::show_force(f_range.low, axis),
                            doctor::show_force(f_range.high, axis)),
                "record the static curve over the whole range of preloads, or check the unit of the preload");
      continue;
    }
    const auto k_static = static_stiffness_at(loop, levels[p]);
    if (!k_static) continue;
    const double ratio = k_dyn / *k_static;
    if (ratio > options.unit_factor || ratio < 1.0 / options.unit_factor)
      chart.add(Severity::serious, "unit_mismatch", line,
                fmt::format("dynamic stiffness {} against static {} at preload {}: a factor of {:.3g}",
                            doctor::show_stiffness(k_dyn, axis), doctor::show_stiffness(*k_static, axis),
                            doctor::show_force(levels[p], axis), ratio),
                "check the units of both files");
    else if (ratio > hardening_max || ratio < far_below)
      chart.add(Severity::warning, "unit_slip", line,
                fmt::format("dynamic stiffness {} is {:.3g} times the static {} at preload {}; {}",
                            doctor::show_stiffness(k_dyn, axis), ratio, doctor::show_stiffness(*k_static, axis),
                            doctor::show_force(levels[p], axis), likely_factor(ratio)),
                "check the units of both files; a hydro mount near its resonance may be right");
    else if (ratio < options.hardening_min)
      chart.add(Severity::warning, "k_dyn_below_static", line,
                fmt::format("dynamic stiffness {} (median) is below the static {} at preload {}: dynamic hardening "
                            "{:.3g}, expected at least 1",
                            doctor::show_stiffness(k_dyn, axis), doctor::show_stiffness(*k_static, axis),
                            doctor::show_force(levels[p], axis), ratio),
                "same part, direction and preload in both files? Was the static curve driven slowly enough?");
  }
}

void map_with_series(const StiffnessMap& map, const BenchSeries& series, const DoctorOptions& options,
                     doctor::Chart& chart) {
  const double x = doctor::range_of(series.displacement).width(), f = doctor::range_of(series.force).width();
  if (!(x > 0.0) || !(f > 0.0)) return;
  std::vector<double> k;
  for (const MapRow& row : map.rows) k.push_back(row.k_dyn);
  const double k_dyn = median(std::move(k)), ratio = k_dyn * x / f;
  if (ratio > options.unit_factor || ratio < 1.0 / options.unit_factor)
    chart.add(Severity::serious, "unit_mismatch", series.lines.of(0),
              fmt::format("{} over {} in the record is {}, the map has {}: a factor of {:.3g}",
                          doctor::show_force(f, map.axis), doctor::show_length(x, map.axis),
                          doctor::show_stiffness(f / x, map.axis), doctor::show_stiffness(k_dyn, map.axis), ratio),
              "check the units of both files");
}

void same_axis(AxisKind a, AxisKind b, const Source& other, doctor::Chart& chart) {
  if (a != b)
    chart.add(Severity::serious, "axis_mismatch", 0,
              fmt::format("{} is of a {} axis, this file of a {} one", other.path,
                          b == AxisKind::rotation ? "torsional" : "translational",
                          a == AxisKind::rotation ? "torsional" : "translational"),
              "give files of one direction together");
}

void append(std::vector<Finding>& to, doctor::Chart& chart) {
  for (Finding& finding : chart.take()) to.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> examine_together(const StiffnessMap* map, const StaticLoop* loop, const BenchSeries* series,
                                      const DoctorOptions& options) {
  std::vector<Finding> findings;
  if (map != nullptr && map->rows.empty()) map = nullptr;
  if (map != nullptr && loop != nullptr) {
    doctor::Chart chart(map->source);
    same_axis(map->axis, loop->axis, loop->source, chart);
    if (map->axis == loop->axis) map_with_loop(*map, *loop, options, chart);
    append(findings, chart);
  }
  if (map != nullptr && series != nullptr) {
    doctor::Chart chart(series->source);
    same_axis(series->axis, map->axis, map->source, chart);
    if (map->axis == series->axis) map_with_series(*map, *series, options, chart);
    append(findings, chart);
  }
  if (map == nullptr && loop != nullptr && series != nullptr) {
    doctor::Chart chart(series->source);
    same_axis(series->axis, loop->axis, loop->source, chart);
    append(findings, chart);
  }
  return findings;
}

}  // namespace kdyn::inline doctor
