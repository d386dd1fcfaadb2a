// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/elastomer_report.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

using namespace report;

// Both data reductions over frequency; the map of one preload.
PlotRow reductions(const RigResult& result, const RigOptions& options, double preload, const AxisDisplay& units) {
  Plot k{.title = "Dynamic stiffness", .x = {"Frequency", "Hz"}, .y = {"Dynamic stiffness", units.stiffness.unit}};
  k.group_label = "Amplitude";
  k.palette = Palette::sequential;
  Plot angle = k;
  angle.title = "Loss angle";
  angle.y = {"Loss angle", "deg"};
  constexpr double degrees = 57.29577951308232;
  // A sweep has one amplitude, as achieved; a map has those asked for.
  const std::vector<double> amplitudes =
      options.program == RigProgram::sweep ? std::vector<double>{options.sweep_amplitude_m} : options.amplitudes_m;
  for (std::size_t a = 0; a < amplitudes.size(); ++a) {
    Series harmonic_k{.name = "first harmonic", .style = SeriesStyle::line_and_markers, .group = static_cast<int>(a)};
    Series loop_k{.name = "loop", .style = SeriesStyle::dashed_line, .group = static_cast<int>(a)};
    Series harmonic_d = harmonic_k, loop_d = loop_k;
    for (const RigMapRow& row : result.map) {
      if (nearest_level(amplitudes, row.amplitude) != a || row.preload != preload) continue;
      for (auto* s : {&harmonic_k, &loop_k, &harmonic_d, &loop_d}) s->x.push_back(row.frequency_hz);
      harmonic_k.y.push_back(row.response.k_dyn * units.stiffness.factor);
      loop_k.y.push_back(row.response.k_dyn_loop * units.stiffness.factor);
      harmonic_d.y.push_back(row.response.loss_angle * degrees);
      loop_d.y.push_back(row.response.loss_angle_loop * degrees);
    }
    k.groups.push_back(
        fmt::format("{} {}", format_number(amplitudes[a] * units.displacement.factor, 3), units.displacement.unit));
    angle.groups.push_back(k.groups.back());
    k.series.push_back(std::move(harmonic_k)), k.series.push_back(std::move(loop_k));
    angle.series.push_back(std::move(harmonic_d)), angle.series.push_back(std::move(loop_d));
  }
  return {{k, angle}, 0, true};
}

// Force over displacement of a series: what a bench shows first.
Plot force_over_displacement(const BenchSeries& series) {
  const AxisDisplay units = axis_display(series.axis);
  Plot plot{.title = units.force_name + " over " + lower_case(units.displacement_name),
            .x = {units.displacement_name, units.displacement.unit},
            .y = {units.force_name, units.force.unit}};
  plot.series.push_back({.name = "model",
                         .style = SeriesStyle::line,
                         .x = scaled(series.displacement, units.displacement.factor),
                         .y = scaled(series.force, units.force.factor)});
  return plot;
}

// Sections of one axis, their titles behind `prefix`. Preloads and amplitudes are those of its map; `static_force` may
// be empty.
void add_axis_sections(Document& d, const std::string& prefix, const RigOptions& options, const RigResult& result,
                       const AxisDisplay& units, const std::function<double(double)>& static_force) {
  if (!result.map.empty()) {
    for (const double preload : options.preloads_n)
      d.section(prefix + (options.preloads_n.size() > 1
                              ? fmt::format("Map at preload {} {}", format_number(preload * units.force.factor),
                                            units.force.unit)
                              : "Map"),
                "Both data reductions of a real rig.")
          .add(reductions(result, options, preload, units));
    if (report::PlotRow inside = inside_plots(result.loops, units); !inside.plots.empty())
      d.section(prefix + "Inside the mount",
                fmt::format("One cycle at {} Hz.", format_number(result.loops.front().frequency_hz, 3)))
          .add(std::move(inside));
    if (!result.loops.empty())
      d.section(prefix + "Force-displacement loops").add(loop_plots(result.loops, units, static_force));
  }
  if (!result.static_loop.force.empty()) d.section(prefix + "Static loop").add(static_plots(result.static_loop));
  if (!result.series.force.empty()) {
    auto& section = d.section(prefix + "Transient");
    section.add(series_plots(result.series));
    section.add(force_over_displacement(result.series));
  }
  if (!result.inside.empty())
    d.section(prefix + "Inside the mount").add(inside_plots(result.series.time, result.inside));
}

KeyFigure status_figure(const std::string& status, const std::string& reason) {
  return {
      .label = "Status", .value = status, .quality = status == "done" ? Quality::good : Quality::fair, .note = reason};
}

}  // namespace

Document rig_report(const std::string& title, const Mount& mount, AxisKind axis, const RigOptions& options,
                    const RigResult& result) {
  Document d{.title = title, .subtitle = "Virtual test rig, model " + mount.model()};
  d.key_figures.push_back(status_figure(result.status, result.reason));
  if (!result.map.empty()) {
    double worst = 0.0;
    bool known = false;
    for (const RigMapRow& row : result.map)
      if (row.closed_form) {
        worst = std::max(worst, std::abs(row.response.k_dyn / row.closed_form->k_dyn - 1.0));
        known = true;
      }
    d.key_figures.push_back({.label = "Points", .value = result.map.size()});
    if (known)
      d.key_figures.push_back({.label = "Difference to the closed form",
                               .value = worst,
                               .note = "stiffness, relative, the largest",
                               .digits = 2});
  }
  add_axis_sections(d, "", options, result, axis_display(axis), [&](double u) { return mount.static_force(u); });
  d.section("Findings").add(Findings{.findings = result.findings, .when_empty = "Nothing to report."});
  return d;
}

Document bushing_rig_report(const std::string& title, const RigOptions& options, const BushingRigResult& result,
                            const std::vector<Finding>& findings) {
  Document d{.title = title, .subtitle = "Virtual test rig, bushing with several axes at once"};
  d.key_figures.push_back(status_figure(result.status, result.reason));
  for (std::size_t k = 0; k < axis_names.size(); ++k) {
    if (!result.shown[k]) continue;
    const RigResult& axis = result.axes[k];
    // The plots of a mount's map go by its options: those of this axis.
    RigOptions own = options;
    own.preloads_n.clear(), own.amplitudes_m.clear();
    for (const RigMapRow& row : axis.map) {
      if (std::find(own.preloads_n.begin(), own.preloads_n.end(), row.preload) == own.preloads_n.end())
        own.preloads_n.push_back(row.preload);
      if (std::find(own.amplitudes_m.begin(), own.amplitudes_m.end(), row.amplitude) == own.amplitudes_m.end())
        own.amplitudes_m.push_back(row.amplitude);
    }
    if (own.program == RigProgram::sweep && !axis.map.empty()) own.sweep_amplitude_m = axis.map.front().amplitude;
    add_axis_sections(d, std::string(axis_names[k]) + ": ", own, axis,
                      axis_display(k < 3 ? AxisKind::translation : AxisKind::rotation), {});
  }
  d.section("Findings").add(Findings{.findings = findings, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace kdyn::app
