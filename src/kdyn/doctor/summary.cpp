// SPDX-License-Identifier: Apache-2.0
// What a bench file holds, in plain words.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/doctor/doctor.hpp"
#include "kdyn/doctor/sweeps.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {
namespace {

BenchSummary start(const char* kind, AxisKind axis, std::size_t rows, const Source& source) {
  BenchSummary summary;
  summary.kind = kind;
  summary.axis = axis;
  summary.rows = rows;
  for (const UnitConversion& c : source.conversions)
    summary.units.push_back(
        c.factor == 1.0 ? fmt::format("{}: {}", c.column, c.unit)
                        : fmt::format("{}: {}, multiplied by {:.6g} to {}", c.column, c.unit, c.factor, c.si_unit));
  return summary;
}

template <class Show>
std::string list_levels(const std::vector<double>& levels, AxisKind axis, Show show) {
  constexpr std::size_t shown = 12;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(levels.size(), shown); ++i) texts.push_back(show(levels[i], axis));
  return fmt::format("{}{}", fmt::join(texts, ", "), levels.size() > shown ? ", ..." : "");
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

const char* axis_word(AxisKind axis) { return axis == AxisKind::rotation ? "torsional" : "translational"; }

void add_travel(BenchSummary& summary, const std::vector<double>& displacement, const std::vector<double>& force) {
  const doctor::Range x = doctor::range_of(displacement), f = doctor::range_of(force);
  summary.displacement_min = x.low, summary.displacement_max = x.high, summary.force_min = f.low,
  summary.force_max = f.high;
  summary.words.push_back(fmt::format("displacement {} to {}", doctor::show_length(x.low, summary.axis),
                                      doctor::show_length(x.high, summary.axis)));
  summary.words.push_back(force.empty() ? std::string("no force: an input for the virtual rig")
                                        : fmt::format("force {} to {}", doctor::show_force(f.low, summary.axis),
                                                      doctor::show_force(f.high, summary.axis)));
}

}  // namespace

BenchSummary summarise(const StiffnessMap& map) {
  BenchSummary summary = start("map", map.axis, map.rows.size(), map.source);
  std::vector<double> frequencies;
  doctor::number_frequencies(map, frequencies);
  summary.frequencies = frequencies.size();
  if (!frequencies.empty())
    summary.frequency_min_hz = frequencies.front(), summary.frequency_max_hz = frequencies.back();
  std::vector<double> log_amplitudes, preloads;
  for (const doctor::Sweep& sweep : doctor::find_sweeps(map))
    log_amplitudes.push_back(std::log(sweep.amplitude)), preloads.push_back(sweep.preload);
  std::vector<std::size_t> level;
  summary.amplitudes = doctor::find_levels(log_amplitudes, 0.03, level);
  for (double& a : summary.amplitudes) a = std::exp(a);
  const doctor::Range span = doctor::range_of(preloads);
  summary.preloads = doctor::find_levels(preloads, 0.05 * std::max(std::abs(span.low), std::abs(span.high)), level);

  summary.words.push_back(fmt::format("dynamic stiffness of a {} axis, {} rows", axis_word(map.axis), map.rows.size()));
  summary.words.push_back(fmt::format("{} frequencies from {:.4g} to {:.4g} Hz", summary.frequencies,
                                      summary.frequency_min_hz, summary.frequency_max_hz));
  summary.words.push_back(fmt::format("{} amplitude{}: {}", summary.amplitudes.size(),
                                      plural(summary.amplitudes.size()),
                                      list_levels(summary.amplitudes, map.axis, doctor::show_length)));
  summary.words.push_back(fmt::format("{} preload{}: {}", summary.preloads.size(), plural(summary.preloads.size()),
                                      list_levels(summary.preloads, map.axis, doctor::show_force)));
  return summary;
}

BenchSummary summarise(const StaticLoop& loop) {
  BenchSummary summary = start("static", loop.axis, loop.displacement.size(), loop.source);
  summary.words.push_back(
      fmt::format("static loop of a {} axis, {} points", axis_word(loop.axis), loop.displacement.size()));
  add_travel(summary, loop.displacement, loop.force);
  return summary;
}

BenchSummary summarise(const BenchSeries& series) {
  BenchSummary summary = start("series", series.axis, series.time.size(), series.source);
  std::vector<double> steps;
  for (std::size_t i = 1; i < series.time.size(); ++i) steps.push_back(series.time[i] - series.time[i - 1]);
  if (!steps.empty())
    summary.duration = series.time.back() - series.time.front(), summary.sampling_hz = 1.0 / median(std::move(steps));
  summary.words.push_back(fmt::format("time series of a {} axis, {} samples in {:.4g} s at {:.4g} Hz",
                                      axis_word(series.axis), series.time.size(), summary.duration,
                                      summary.sampling_hz));
  add_travel(summary, series.displacement, series.force);
  return summary;
}

}  // namespace kdyn::inline doctor
