// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace kdyn::app {
namespace {

using namespace report;
constexpr int residual_colour = 2;

std::vector<double> fine_grid(double lower, double upper, int points) {
  std::vector<double> x;
  for (int i = 0; i < points; ++i) x.push_back(lower * std::pow(upper / lower, i / (points - 1.0)));
  return x;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return d;
}

// The two plots of a map in a row, with their series filled side by side.
struct Pair {
  Plot stiffness, angle;

  Pair(const MapView& v, Axis x, const std::string& over, std::string group_label) {
    stiffness.title = "Dynamic stiffness over " + over;
    stiffness.x = std::move(x);
    stiffness.y = {"Dynamic stiffness", v.units.stiffness.unit};
    stiffness.group_label = std::move(group_label);
    stiffness.palette = Palette::sequential;
    angle = stiffness;
    angle.title = "Loss angle over " + over;
    angle.y = {"Loss angle", "deg"};
  }
  void group(const std::string& name) {
    stiffness.groups.push_back(name);
    angle.groups.push_back(name);
  }
};
struct PairOfSeries {
  Series k, d;

  PairOfSeries(const char* name, SeriesStyle style, std::size_t group) {
    k.name = name;
    k.style = style;
    k.group = static_cast<int>(group);
    d = k;
  }
  void add(double x, double stiffness, double angle) {
    k.x.push_back(x);
    k.y.push_back(stiffness);
    d.x.push_back(x);
    d.y.push_back(angle / degree);
  }
  void hover(const std::string& text) {
    k.hover.push_back(text);
    d.hover.push_back(text);
  }
  void put_into(Pair& pair) {
    if (k.x.empty()) return;
    pair.stiffness.series.push_back(std::move(k));
    pair.angle.series.push_back(std::move(d));
  }
};

}  // namespace

AchievedAmplitude::AchievedAmplitude(const MapView& v, std::size_t level, std::size_t preload) {
  for (const MapRow& row : v.map.rows)
    if (v.amplitude_level(row) == level && v.at_preload(row, preload))
      points_.emplace_back(row.frequency_hz, row.amplitude);
  std::sort(points_.begin(), points_.end());
}

double AchievedAmplitude::operator()(double f) const {
  const auto above = std::lower_bound(points_.begin(), points_.end(), std::pair(f, 0.0));
  if (above == points_.begin()) return above->second;
  if (above == points_.end()) return points_.back().second;
  const auto below = above - 1;
  const double s = (f - below->first) / std::max(above->first - below->first, 1e-300);
  return below->second + s * (above->second - below->second);
}

MapView::MapView(const StiffnessMap& source)
    : map(source),
      units(axis_display(source.axis)),
      used(source.rows.size(), true) {
  std::vector<double> a, f, p;
  std::set<double> nominal;
  for (const MapRow& row : map.rows) {
    a.push_back(row.amplitude);
    f.push_back(row.frequency_hz);
    p.push_back(row.preload);
    nominal.insert(row.nominal_amplitude);
  }
  const bool told = !nominal.empty() && *nominal.begin() > 0.0;
  amplitudes = told ? levels_of({nominal.begin(), nominal.end()}) : levels_of(std::move(a));
  frequencies = levels_of(std::move(f), frequency_spread);
  preloads = levels_of(std::move(p));
}

std::size_t MapView::amplitude_level(const MapRow& row) const {
  return nearest_level(amplitudes, row.nominal_amplitude > 0.0 ? row.nominal_amplitude : row.amplitude);
}
std::string MapView::amplitude_name(std::size_t level) const {
  return fmt::format("{} {}", format_number(amplitudes[level] * units.displacement.factor, 3), units.displacement.unit);
}
bool MapView::at_preload(const MapRow& row, std::size_t preload) const {
  return nearest_level(preloads, row.preload) == preload;
}
std::string MapView::preload_name(std::size_t preload) const {
  return fmt::format("{} {}", format_number(preloads[preload] * units.force.factor, 4), units.force.unit);
}

PlotRow over_frequency(const MapView& v, std::size_t preload, const ModelResponse& model) {
  Pair pair(v, {"Frequency", "Hz"}, "frequency", "Amplitude");
  for (std::size_t level = 0; level < v.amplitudes.size(); ++level) {
    pair.group(v.amplitude_name(level));
    PairOfSeries measured("measured", SeriesStyle::markers, level),
        left_out("measured, left out", SeriesStyle::markers, level);
    for (std::size_t i = 0; i < v.map.rows.size(); ++i) {
      const MapRow& row = v.map.rows[i];
      if (v.amplitude_level(row) != level || !v.at_preload(row, preload)) continue;
      PairOfSeries& series = v.used[i] ? measured : left_out;
      series.add(row.frequency_hz, row.k_dyn * v.units.stiffness.factor, row.loss_angle);
      const std::string achieved = fmt::format("{} {}", format_number(row.amplitude * v.units.displacement.factor, 4),
                                               v.units.displacement.unit);
      series.hover(row.line > 0 ? fmt::format("{}, line {}", achieved, row.line) : achieved);
    }
    PairOfSeries line("model", SeriesStyle::line, level);
    if (const AchievedAmplitude achieved(v, level, preload); model && !achieved.empty())
      for (const double f : fine_grid(achieved.lower(), achieved.upper(), 81)) {
        const ModelPoint r = model(f, achieved(f), v.preloads[preload]);
        line.add(f, r.k_dyn * v.units.stiffness.factor, r.loss_angle);
      }
    line.put_into(pair);
    measured.put_into(pair);
    left_out.put_into(pair);
  }
  return {{pair.stiffness, pair.angle}, 0, true};
}

PlotRow over_amplitude(const MapView& v, std::size_t preload, const ModelResponse& model) {
  Pair pair(v, {"Amplitude", v.units.displacement.unit, true}, "amplitude", "Frequency");
  const std::size_t count = std::min<std::size_t>(5, v.frequencies.size());
  const auto [low, high] = std::minmax_element(
      v.map.rows.begin(), v.map.rows.end(), [](const MapRow& a, const MapRow& b) { return a.amplitude < b.amplitude; });
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t level = count == 1 ? 0 : n * (v.frequencies.size() - 1) / (count - 1);
    pair.group(fmt::format("{} Hz", format_number(v.frequencies[level], 3)));
    PairOfSeries measured("measured", SeriesStyle::markers, n), line("model", SeriesStyle::line, n);
    for (std::size_t i = 0; i < v.map.rows.size(); ++i) {
      const MapRow& row = v.map.rows[i];
      if (!v.used[i] || nearest_level(v.frequencies, row.frequency_hz) != level || !v.at_preload(row, preload))
        continue;
      measured.add(row.amplitude * v.units.displacement.factor, row.k_dyn * v.units.stiffness.factor, row.loss_angle);
    }
    if (model)
      for (const double a : fine_grid(low->amplitude, high->amplitude, 61)) {
        const ModelPoint r = model(v.frequencies[level], a, v.preloads[preload]);
        line.add(a * v.units.displacement.factor, r.k_dyn * v.units.stiffness.factor, r.loss_angle);
      }
    line.put_into(pair);
    measured.put_into(pair);
  }
  return {{pair.stiffness, pair.angle}, 0, true};
}

PlotRow static_plots(const StaticLoop& loop, const std::vector<double>& model) {
  const AxisDisplay units = axis_display(loop.axis);
  const std::vector<double> u = scaled(loop.displacement, units.displacement.factor);
  Plot force{.title = "Static loop",
             .x = {units.displacement_name, units.displacement.unit},
             .y = {units.force_name, units.force.unit}};
  force.series.push_back({.name = "measured", .style = SeriesStyle::line, .x = u, .y = loop.force});
  if (model.empty()) return {{force}, 0, true};
  force.series.push_back({.name = "model", .style = SeriesStyle::dashed_line, .x = u, .y = model});
  Plot residual{.title = "Measured minus model", .x = force.x, .y = force.y};
  residual.series.push_back({.name = "measured minus model",
                             .style = SeriesStyle::line,
                             .x = u,
                             .y = difference(loop.force, model),
                             .group = residual_colour});
  return {{force, residual}, 0, true};
}

PlotRow series_plots(const BenchSeries& series, const std::vector<double>& model) {
  const AxisDisplay units = axis_display(series.axis);
  Plot force{.title = units.force_name + " over time", .x = {"Time", "s"}, .y = {units.force_name, units.force.unit}};
  Plot below{.title = units.displacement_name, .x = force.x, .y = {units.displacement_name, units.displacement.unit}};
  below.height_px = 180;
  if (!series.force.empty())
    force.series.push_back({.name = "measured", .style = SeriesStyle::line, .x = series.time, .y = series.force});
  if (model.empty()) {
    below.series.push_back({.name = "displacement",
                            .x = series.time,
                            .y = scaled(series.displacement, units.displacement.factor),
                            .group = residual_colour});
    if (series.force.empty()) return {{below}, 1, true};
    return {{force, below}, 1, true};
  }
  force.series.push_back({.name = "model", .style = SeriesStyle::dashed_line, .x = series.time, .y = model});
  below.title = "Measured minus model";
  below.y = force.y;
  below.series.push_back({.name = "measured minus model",
                          .style = SeriesStyle::line,
                          .x = series.time,
                          .y = difference(series.force, model),
                          .group = residual_colour});
  return {{force, below}, 1, true};
}

PlotRow loop_plots(const std::vector<RigLoop>& loops, const AxisDisplay& units,
                   const std::function<double(double)>& static_force, const std::string& caption) {
  Plot whole{.x = {units.displacement_name, units.displacement.unit}, .y = {units.force_name, units.force.unit}};
  whole.title = loops.empty() ? "Loops" : fmt::format("Loops at {} Hz", format_number(loops.front().frequency_hz, 3));
  whole.group_label = "Amplitude";
  whole.palette = Palette::sequential;
  whole.caption = caption;
  Plot dynamic = whole;
  dynamic.title = "The same without the static force";
  dynamic.caption = "What remains is friction and damping; the area is the energy lost in a cycle.";
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string name =
        fmt::format("{} {}", format_number(loops[i].amplitude * units.displacement.factor, 3), units.displacement.unit);
    whole.groups.push_back(name);
    dynamic.groups.push_back(name);
    Series s{.name = "model",
             .style = SeriesStyle::line,
             .x = scaled(loops[i].displacement, units.displacement.factor),
             .y = loops[i].force,
             .group = static_cast<int>(i)};
    Series rest = s;
    for (std::size_t j = 0; static_force && j < rest.y.size(); ++j) rest.y[j] -= static_force(loops[i].displacement[j]);
    for (Series* one : {&s, &rest}) {
      one->x.push_back(one->x.front());
      one->y.push_back(one->y.front());
    }
    whole.series.push_back(std::move(s));
    dynamic.series.push_back(std::move(rest));
  }
  if (!static_force) return {{whole}, 0, true};
  return {{whole, dynamic}, 0, true};
}

namespace {

// A signal's plot; pressures are shown in kPa or bar as engineers read them.
Plot signal_plot(const MountSignal& signal) {
  Plot plot{.title = signal.meaning, .y = {signal.meaning, display_unit(signal.unit).unit}};
  plot.height_px = 260;
  return plot;
}

// Signals that stay at zero (a bypass that is not there) are not drawn.
bool moves(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return v != 0.0; });
}

}  // namespace

PlotRow inside_plots(const std::vector<double>& time, const std::vector<MountRecord>& records) {
  PlotRow row{{}, 1, true};
  for (const MountRecord& r : records) {
    if (!moves(r.values)) continue;
    Plot plot = signal_plot(r.signal);
    plot.x = {"Time", "s"};
    plot.series.push_back({.name = "model", .x = time, .y = scaled(r.values, display_unit(r.signal.unit).factor)});
    row.plots.push_back(std::move(plot));
  }
  return row;
}

PlotRow inside_plots(const std::vector<RigLoop>& loops, const AxisDisplay& units) {
  PlotRow row{{}, 2, true};
  if (loops.empty()) return row;
  for (std::size_t s = 0; s < loops.front().inside.size(); ++s) {
    Plot plot = signal_plot(loops.front().inside[s].signal);
    plot.x = {"Phase", "deg"};
    plot.group_label = "Amplitude";
    plot.palette = Palette::sequential;
    bool any = false;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const std::vector<double>& values = loops[i].inside[s].values;
      any = any || moves(values);
      plot.groups.push_back(fmt::format("{} {}", format_number(loops[i].amplitude * units.displacement.factor, 3),
                                        units.displacement.unit));
      Series line{.name = "model",
                  .y = scaled(values, display_unit(loops[i].inside[s].signal.unit).factor),
                  .group = static_cast<int>(i)};
      for (std::size_t k = 0; k < values.size(); ++k)
        line.x.push_back(360.0 * static_cast<double>(k) / static_cast<double>(values.size()));
      plot.series.push_back(std::move(line));
    }
    if (any) row.plots.push_back(std::move(plot));
  }
  return row;
}

Table trust_table(const StiffnessMap& map, const TrustResult& trust, const AxisDisplay& units) {
  Table table;
  table.columns = {{"Test"}, {"Seen", "", Align::right}, {"Verdict"}};
  const auto row = [&](const char* what, std::string seen, const char* verdict, Quality quality) {
    table.rows.push_back({{what, std::move(seen), verdict}, quality});
  };
  row("Drift under 1/f random motion: largest mean force over 10 s",
      fmt::format("{} {}", format_number(trust.drift_force * units.force.factor, 2), units.force.unit),
      trust.drifts ? "drifts" : "does not drift", trust.drifts ? Quality::poor : Quality::good);
  row("Smallest work over a closed path, of stiffness times amplitude squared", format_number(trust.lowest_work, 2),
      trust.generates_energy ? "gives out energy" : "passive", trust.generates_energy ? Quality::poor : Quality::good);
  const auto range = [&](const char* what, double MapRow::*member, const DisplayUnit& unit) {
    if (map.rows.empty()) return;
    const auto [low, high] = std::minmax_element(
        map.rows.begin(), map.rows.end(), [&](const MapRow& a, const MapRow& b) { return a.*member < b.*member; });
    row(what,
        fmt::format("{} to {} {}", format_number(*low.*member * unit.factor, 3),
                    format_number(*high.*member * unit.factor, 3), unit.unit),
        "holds here", Quality::neutral);
  };
  range("Frequency of the data", &MapRow::frequency_hz, {"Hz", 1.0});
  range("Amplitude of the data", &MapRow::amplitude, units.displacement);
  range("Preload of the data", &MapRow::preload, units.force);
  return table;
}

void add_correlation(Section& section, const std::vector<std::string>& not_told_apart,
                     const std::vector<std::string>& names, const Eigen::MatrixXd& correlation) {
  std::string text;
  for (const std::string& sentence : not_told_apart) text += sentence + ".\n\n";
  if (!text.empty()) section.add(Text{text});
  if (correlation.rows() < 2) return;
  Heatmap map{.row_names = names, .column_names = names};
  for (Eigen::Index i = 0; i < correlation.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index j = 0; j < correlation.cols(); ++j) row.push_back(correlation(i, j));
    map.values.push_back(std::move(row));
  }
  map.caption = "Near +1 or -1: the data cannot tell the two apart.";
  section.add(Details("Correlation of the estimates", std::vector<Block>{Block{std::move(map)}}));
}

}  // namespace kdyn::app
