// SPDX-License-Identifier: Apache-2.0
// Bench files as kdyn writes them: one layout for each kind, units in the names.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/bench_files.hpp"

namespace kdyn::inline io {
namespace {

// Names and units of the columns; the value in the file is the SI value divided by the factor of its unit.
struct WrittenUnits {
  const char *displacement, *force, *amplitude, *nominal, *preload, *stiffness;
  const char *length_unit, *force_unit, *stiffness_unit;
};

constexpr WrittenUnits translation = {"displacement_mm",
                                      "force_n",
                                      "amplitude_mm",
                                      "nominal_amplitude_mm",
                                      "preload_n",
                                      "k_dyn_n_per_mm",
                                      "mm",
                                      "N",
                                      "N/mm"};
constexpr WrittenUnits rotation = {"angle_deg",  "moment_nm",        "amplitude_deg", "nominal_amplitude_deg",
                                   "preload_nm", "k_dyn_nm_per_deg", "deg",           "Nm",
                                   "Nm/deg"};

const WrittenUnits& units_of(AxisKind axis) { return axis == AxisKind::rotation ? rotation : translation; }

double factor(const char* unit) {
  const auto parsed = parse_unit(unit);
  demand(parsed.has_value(), "a unit named by kdyn itself is known");
  return parsed->to_si;
}

}  // namespace

const char* to_string(BenchKind kind) {
  switch (kind) {
    case BenchKind::map: return "map";
    case BenchKind::static_loop: return "static";
    case BenchKind::series: return "series";
    case BenchKind::unknown: return "unknown";
  }
  return "";
}

std::string map_csv(const StiffnessMap& map) {
  const WrittenUnits& names = units_of(map.axis);
  const double length = factor(names.length_unit), force = factor(names.force_unit),
               stiffness = factor(names.stiffness_unit), degree = factor("deg");
  const bool nominal =
      std::any_of(map.rows.begin(), map.rows.end(), [](const MapRow& row) { return row.nominal_amplitude > 0.0; });
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "frequency_hz,{},{},{},loss_angle_deg", names.amplitude, names.preload,
                 names.stiffness);
  const bool temperature =
      std::any_of(map.rows.begin(), map.rows.end(), [](const MapRow& row) { return !std::isnan(row.temperature_c); });
  if (nominal) fmt::format_to(std::back_inserter(out), ",{}", names.nominal);
  if (temperature) fmt::format_to(std::back_inserter(out), ",temperature_c");
  out.push_back('\n');
  for (const MapRow& row : map.rows) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{}", row.frequency_hz, row.amplitude / length,
                   row.preload / force, row.k_dyn / stiffness, row.loss_angle / degree);
    if (nominal) fmt::format_to(std::back_inserter(out), ",{}", row.nominal_amplitude / length);
    if (temperature) fmt::format_to(std::back_inserter(out), ",{}", row.temperature_c);
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

std::string static_csv(const StaticLoop& loop) {
  const WrittenUnits& names = units_of(loop.axis);
  const double length = factor(names.length_unit), force = factor(names.force_unit);
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "{},{}\n", names.displacement, names.force);
  for (std::size_t i = 0; i < loop.displacement.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{},{}\n", loop.displacement[i] / length, loop.force[i] / force);
  return fmt::to_string(out);
}

std::string series_csv(const BenchSeries& series) {
  const WrittenUnits& names = units_of(series.axis);
  const double length = factor(names.length_unit), force = factor(names.force_unit);
  const bool has_force = !series.force.empty();
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "time_s,{}{}{}\n", names.displacement, has_force ? "," : "",
                 has_force ? names.force : "");
  for (std::size_t i = 0; i < series.time.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{},{}", series.time[i], series.displacement[i] / length);
    if (has_force) fmt::format_to(std::back_inserter(out), ",{}", series.force[i] / force);
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

void write_map_csv(const std::string& path, const StiffnessMap& map) { write_text(path, map_csv(map)); }
void write_static_csv(const std::string& path, const StaticLoop& loop) { write_text(path, static_csv(loop)); }
void write_series_csv(const std::string& path, const BenchSeries& series) { write_text(path, series_csv(series)); }

}  // namespace kdyn::inline io
