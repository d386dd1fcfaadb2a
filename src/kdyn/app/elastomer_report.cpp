// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/elastomer_report.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"

namespace kdyn::app {
namespace {

using namespace report;
constexpr double degree = std::numbers::pi / 180.0;

struct View {
  const ElastomerData& data;
  const ElastomerFitResult& fit;
  AxisDisplay units;
  std::vector<double> amplitudes, preloads;

  View(const ElastomerData& d, const ElastomerFitResult& f) : data(d), fit(f), units(axis_display(f.axis)) {
    std::vector<double> a, p;
    for (const MapRow& row : d.map.rows) {
      a.push_back(row.amplitude);
      p.push_back(row.preload);
    }
    amplitudes = levels_of(std::move(a));
    preloads = levels_of(std::move(p));
  }
  double k(const SteadyResponse& r) const { return (fit.criterion == Criterion::loop ? r.k_dyn_loop : r.k_dyn) * units.stiffness.factor; }
  double angle(const SteadyResponse& r) const { return (fit.criterion == Criterion::loop ? r.loss_angle_loop : r.loss_angle) / degree; }
  SteadyResponse model(double f, double a, double preload) const { return steady_response(fit.law, f, a, static_displacement(fit.law, preload)); }
  std::string amplitude_name(double a) const { return fmt::format("{} {}", format_number(a * units.displacement.factor, 3), units.displacement.unit); }
  Axis stiffness_axis() const { return {"Dynamic stiffness", units.stiffness.unit}; }
};

Axis angle_axis() { return {"Loss angle", "deg"}; }

std::vector<double> fine_grid(double lower, double upper, int points, bool log) {
  std::vector<double> x;
  for (int i = 0; i < points; ++i) {
    const double s = i / (points - 1.0);
    x.push_back(log ? lower * std::pow(upper / lower, s) : lower + (upper - lower) * s);
  }
  return x;
}

// Stiffness and loss angle over frequency, one colour per amplitude, for one preload.
PlotRow over_frequency(const View& v, double preload) {
  Plot stiffness{.title = "Dynamic stiffness over frequency", .x = {"Frequency", "Hz"}, .y = v.stiffness_axis()};
  stiffness.group_label = "Amplitude";
  stiffness.palette = Palette::sequential;
  Plot angle = stiffness;
  angle.title = "Loss angle over frequency";
  angle.y = angle_axis();
  double f_min = 1e300, f_max = 0.0;
  for (const MapRow& row : v.data.map.rows) {
    f_min = std::min(f_min, row.frequency_hz);
    f_max = std::max(f_max, row.frequency_hz);
  }
  for (std::size_t level = 0; level < v.amplitudes.size(); ++level) {
    const std::string name = v.amplitude_name(v.amplitudes[level]);
    Series k{.name = "measured", .style = SeriesStyle::markers, .group = static_cast<int>(level)}, d = k;
    Series out_k{.name = "measured, left out", .style = SeriesStyle::markers, .group = static_cast<int>(level)}, out_d = out_k;
    for (std::size_t i = 0; i < v.data.map.rows.size(); ++i) {
      const MapRow& row = v.data.map.rows[i];
      if (nearest_level(v.amplitudes, row.amplitude) != level || v.preloads[nearest_level(v.preloads, row.preload)] != preload) continue;
      Series& sk = v.fit.row_used[i] ? k : out_k;
      Series& sd = v.fit.row_used[i] ? d : out_d;
      sk.x.push_back(row.frequency_hz);
      sk.y.push_back(row.k_dyn * v.units.stiffness.factor);
      sk.hover.push_back(row.line > 0 ? fmt::format("line {}", row.line) : "");
      sd.x.push_back(row.frequency_hz);
      sd.y.push_back(row.loss_angle / degree);
      sd.hover.push_back(sk.hover.back());
    }
    Series mk{.name = "model", .style = SeriesStyle::line, .group = static_cast<int>(level)}, md = mk;
    for (const double f : fine_grid(f_min, f_max, 81, true)) {
      const SteadyResponse r = v.model(f, v.amplitudes[level], preload);
      mk.x.push_back(f);
      mk.y.push_back(v.k(r));
      md.x.push_back(f);
      md.y.push_back(v.angle(r));
    }
    stiffness.groups.push_back(name);
    angle.groups.push_back(name);
    for (auto* s : {&mk, &k, &out_k})
      if (!s->x.empty()) stiffness.series.push_back(*s);
    for (auto* s : {&md, &d, &out_d})
      if (!s->x.empty()) angle.series.push_back(*s);
  }
  return {{stiffness, angle}, 0, true};
}

// Stiffness and loss angle over amplitude at up to five frequencies.
PlotRow over_amplitude(const View& v, double preload) {
  std::vector<double> all;
  for (const MapRow& row : v.data.map.rows) all.push_back(row.frequency_hz);
  const std::vector<double> frequencies = levels_of(all);
  std::vector<double> chosen;
  const std::size_t count = std::min<std::size_t>(5, frequencies.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(frequencies[count == 1 ? 0 : i * (frequencies.size() - 1) / (count - 1)]);
  Plot stiffness{.title = "Dynamic stiffness over amplitude", .x = {"Amplitude", v.units.displacement.unit, true}, .y = v.stiffness_axis()};
  stiffness.group_label = "Frequency";
  stiffness.palette = Palette::sequential;
  Plot angle = stiffness;
  angle.title = "Loss angle over amplitude";
  angle.y = angle_axis();
  for (std::size_t level = 0; level < chosen.size(); ++level) {
    stiffness.groups.push_back(fmt::format("{} Hz", format_number(chosen[level], 3)));
    angle.groups.push_back(stiffness.groups.back());
    Series k{.name = "measured", .style = SeriesStyle::markers, .group = static_cast<int>(level)}, d = k;
    for (std::size_t i = 0; i < v.data.map.rows.size(); ++i) {
      const MapRow& row = v.data.map.rows[i];
      if (!v.fit.row_used[i] || frequencies[nearest_level(frequencies, row.frequency_hz)] != chosen[level] || v.preloads[nearest_level(v.preloads, row.preload)] != preload) continue;
      k.x.push_back(row.amplitude * v.units.displacement.factor);
      k.y.push_back(row.k_dyn * v.units.stiffness.factor);
      d.x.push_back(k.x.back());
      d.y.push_back(row.loss_angle / degree);
    }
    Series mk{.name = "model", .style = SeriesStyle::line, .group = static_cast<int>(level)}, md = mk;
    for (const double a : fine_grid(v.amplitudes.front(), v.amplitudes.back(), 61, true)) {
      const SteadyResponse r = v.model(chosen[level], a, preload);
      mk.x.push_back(a * v.units.displacement.factor);
      mk.y.push_back(v.k(r));
      md.x.push_back(mk.x.back());
      md.y.push_back(v.angle(r));
    }
    stiffness.series.push_back(std::move(mk));
    angle.series.push_back(std::move(md));
    if (!k.x.empty()) {
      stiffness.series.push_back(std::move(k));
      angle.series.push_back(std::move(d));
    }
  }
  return {{stiffness, angle}, 0, true};
}

std::vector<double> scaled(const std::vector<double>& x, double factor) {
  std::vector<double> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), [factor](double value) { return factor * value; });
  return y;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return d;
}

PlotRow static_plots(const View& v, std::size_t index) {
  const StaticLoop& loop = v.data.loops[index];
  const std::vector<double> u = scaled(loop.displacement, v.units.displacement.factor);
  Plot force{.title = "Static loop", .x = {v.units.displacement_name, v.units.displacement.unit}, .y = {v.units.force_name, v.units.force.unit}};
  force.series.push_back({.name = "measured", .style = SeriesStyle::markers, .x = u, .y = loop.force});
  force.series.push_back({.name = "model", .style = SeriesStyle::line, .x = u, .y = v.fit.loop_model[index]});
  Plot residual{.title = "Measured minus model", .x = force.x, .y = force.y};
  residual.series.push_back({.name = "residual", .style = SeriesStyle::line, .x = u, .y = difference(loop.force, v.fit.loop_model[index])});
  return {{force, residual}, 0, true};
}

PlotRow transient_plots(const View& v, std::size_t index) {
  const BenchSeries& series = v.data.series[index];
  Plot force{.title = v.units.force_name + " over time", .x = {"Time", "s"}, .y = {v.units.force_name, v.units.force.unit}};
  force.series.push_back({.name = "measured", .style = SeriesStyle::line, .x = series.time, .y = series.force});
  force.series.push_back({.name = "model", .style = SeriesStyle::dashed_line, .x = series.time, .y = v.fit.series_model[index]});
  Plot residual{.title = "Measured minus model", .x = force.x, .y = force.y};
  residual.series.push_back({.name = "residual", .style = SeriesStyle::line, .x = series.time, .y = difference(series.force, v.fit.series_model[index])});
  residual.height_px = 180;
  return {{force, residual}, 1, true};
}

// Force-displacement loops of the model at the middle frequency, one per amplitude, from the virtual rig.
Plot loop_plot(const View& v, const std::vector<RigLoop>& loops) {
  Plot plot{.title = loops.empty() ? "Loops" : fmt::format("Loops at {} Hz", format_number(loops.front().frequency_hz, 3)),
            .x = {v.units.displacement_name, v.units.displacement.unit}, .y = {v.units.force_name, v.units.force.unit}};
  plot.group_label = "Amplitude";
  plot.palette = Palette::sequential;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    plot.groups.push_back(v.amplitude_name(loops[i].amplitude));
    Series s{.name = "model", .style = SeriesStyle::line, .x = scaled(loops[i].displacement, v.units.displacement.factor), .y = loops[i].force, .group = static_cast<int>(i)};
    s.x.push_back(s.x.front());
    s.y.push_back(s.y.front());
    plot.series.push_back(std::move(s));
  }
  plot.caption = "Simulated on the virtual rig, steady state.";
  return plot;
}

Plot rig_loops(const View& v) {
  RigOptions options;
  std::vector<double> frequencies;
  for (const MapRow& row : v.data.map.rows) frequencies.push_back(row.frequency_hz);
  frequencies = levels_of(frequencies);
  options.frequencies_hz = {frequencies.empty() ? 10.0 : frequencies[frequencies.size() / 2]};
  options.amplitudes_m = v.amplitudes.empty() ? std::vector<double>{1e-4, 1e-3} : v.amplitudes;
  options.preloads_n = {v.preloads.empty() ? 0.0 : v.preloads.front()};
  options.samples_per_cycle = 200;
  options.measured_cycles = 1;
  return loop_plot(v, run_rig(*make_mount(v.fit.law), options).loops);
}

Table trust_table(const View& v, const TrustResult& trust) {
  Table table;
  table.columns = {{"Test"}, {"Seen", "", Align::right}, {"Verdict"}};
  table.rows.push_back({{"Drift under 1/f random motion: largest mean force over 10 s", fmt::format("{} {}", format_number(trust.drift_force * v.units.force.factor, 2), v.units.force.unit),
                         trust.drifts ? "drifts" : "does not drift"}, trust.drifts ? Quality::poor : Quality::good});
  table.rows.push_back({{"Smallest work over a closed path, of stiffness times amplitude squared", format_number(trust.lowest_work, 2),
                         trust.generates_energy ? "gives out energy" : "passive"}, trust.generates_energy ? Quality::poor : Quality::good});
  const auto range = [&](double MapRow::*member, double factor) {
    double low = 1e300, high = -1e300;
    for (const MapRow& row : v.data.map.rows) {
      low = std::min(low, row.*member * factor);
      high = std::max(high, row.*member * factor);
    }
    return fmt::format("{} to {}", format_number(low, 3), format_number(high, 3));
  };
  if (!v.data.map.rows.empty()) {
    table.rows.push_back({{"Frequency of the data", range(&MapRow::frequency_hz, 1.0) + " Hz", "valid range"}});
    table.rows.push_back({{"Amplitude of the data", range(&MapRow::amplitude, v.units.displacement.factor) + " " + v.units.displacement.unit, "valid range"}});
    table.rows.push_back({{"Preload of the data", range(&MapRow::preload, v.units.force.factor) + " " + v.units.force.unit, "valid range"}});
  }
  return table;
}

Quality judge(double value, double good, double fair) { return value <= good ? Quality::good : value <= fair ? Quality::fair : Quality::poor; }

void add_key_figures(Document& d, const View& v) {
  const ElastomerFitResult& fit = v.fit;
  d.key_figures.push_back({.label = "Status", .value = fit.status, .quality = fit.status == "converged" ? Quality::good : Quality::poor});
  if (!v.data.map.rows.empty()) {
    d.key_figures.push_back({.label = "Stiffness misfit", .value = 100.0 * fit.rms_k_dyn_rel, .unit = "%", .quality = judge(fit.rms_k_dyn_rel, 0.02, 0.05), .note = "rms over the map", .digits = 3});
    d.key_figures.push_back({.label = "Loss angle misfit", .value = fit.rms_loss_angle / degree, .unit = "deg", .quality = judge(fit.rms_loss_angle / degree, 0.5, 1.5), .note = "rms over the map", .digits = 3});
  }
  const auto force_range = [](const auto& record) {
    const auto [low, high] = std::minmax_element(record.force.begin(), record.force.end());
    return *high - *low;
  };
  if (fit.rms_static) {
    const double share = *fit.rms_static / force_range(v.data.loops.front());
    d.key_figures.push_back({.label = "Static misfit", .value = 100.0 * share, .unit = "%", .quality = judge(share, 0.01, 0.03), .note = "rms, of the force range", .digits = 3});
  }
  if (fit.rms_transient) {
    const double share = *fit.rms_transient / force_range(v.data.series.front());
    d.key_figures.push_back({.label = "Transient misfit", .value = 100.0 * share, .unit = "%", .quality = judge(share, 0.02, 0.05), .note = "rms, of the force range", .digits = 3});
  }
  const double k = fit.law.static_stiffness;
  d.key_figures.push_back({.label = "Static stiffness", .value = k * v.units.stiffness.factor, .unit = v.units.stiffness.unit});
  d.key_figures.push_back({.label = "Fitted in", .value = 1e3 * fit.seconds, .unit = "ms", .digits = 3});
}

}  // namespace

Document elastomer_report(const std::string& title, const ElastomerData& data, const ElastomerFitResult& fit, const TrustResult& trust) {
  const View v(data, fit);
  Document d{.title = title,
             .subtitle = fmt::format("Elastomer model, {} friction, {} criterion", fit.law.law == FrictionLaw::masing ? "Masing" : "g4",
                                     fit.criterion == Criterion::loop ? "loop" : "first-harmonic")};
  add_key_figures(d, v);
  if (!data.map.rows.empty())
    for (const double preload : v.preloads) {
      const std::string where = v.preloads.size() > 1 ? fmt::format(" at preload {} {}", format_number(preload * v.units.force.factor, 4), v.units.force.unit) : "";
      d.section("Dynamic stiffness" + where, "Markers are measured, lines are the model.").add(over_frequency(v, preload)).add(over_amplitude(v, preload));
    }
  if (!data.loops.empty()) {
    auto& section = d.section("Static loop", "Slow loading and unloading; the width of the loop is friction.");
    for (std::size_t i = 0; i < data.loops.size(); ++i) section.add(static_plots(v, i));
  }
  d.section("Force-displacement loops", "What the model does over one cycle.").add(rig_loops(v));
  if (!data.series.empty()) {
    auto& section = d.section("Transient", "The model follows the measured displacement from rest.");
    for (std::size_t i = 0; i < data.series.size(); ++i) section.add(transient_plots(v, i));
  }
  auto& parameters = d.section("Parameters");
  parameters.add(parameter_table(fit.parameters));
  if (fit.correlation.rows() > 1) {
    Heatmap map{.title = "Correlation of the estimates", .row_names = fit.correlation_names, .column_names = fit.correlation_names};
    for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i) {
      std::vector<double> row;
      for (Eigen::Index j = 0; j < fit.correlation.cols(); ++j) row.push_back(fit.correlation(i, j));
      map.values.push_back(std::move(row));
    }
    map.caption = "Near +1 or -1: the data cannot tell the two apart.";
    parameters.add(std::move(map));
  }
  if (!fit.not_told_apart.empty()) {
    std::string text;
    for (const std::string& sentence : fit.not_told_apart) text += sentence + ".\n\n";
    parameters.add(Text{text});
  }
  auto& use = d.section("Use of the model", "Tested on the virtual rig, and what to measure next.");
  use.add(trust_table(v, trust));
  if (!fit.advice.empty()) {
    std::string text;
    for (const Advice& a : fit.advice) text += a.words + ".\n\n";
    use.add(Text{text});
  }
  d.section("Findings", "What the data doctor and the fit noticed.").add(Findings{.findings = fit.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

Document rig_report(const std::string& title, const RigOptions& options, const RigResult& result) {
  Document d{.title = title, .subtitle = "Virtual test rig"};
  d.key_figures.push_back({.label = "Status", .value = result.status, .quality = result.status == "done" ? Quality::good : Quality::fair});
  const ElastomerData none;
  const ElastomerFitResult no_fit;
  const View v(none, no_fit);
  if (!result.map.empty()) {
    double worst = 0.0;
    for (const RigMapRow& row : result.map)
      if (row.closed_form) worst = std::max(worst, std::abs(row.response.k_dyn / row.closed_form->k_dyn - 1.0));
    d.key_figures.push_back({.label = "Points", .value = result.map.size()});
    d.key_figures.push_back({.label = "Largest difference to the closed form", .value = worst, .note = "stiffness, relative", .digits = 2});
    const std::vector<double> amplitudes = options.program == RigProgram::sweep ? std::vector<double>{options.sweep_amplitude_m} : options.amplitudes_m;
    Plot k{.title = "Dynamic stiffness", .x = {"Frequency", "Hz"}, .y = v.stiffness_axis()};
    k.group_label = "Amplitude";
    k.palette = Palette::sequential;
    Plot angle = k;
    angle.title = "Loss angle";
    angle.y = angle_axis();
    for (const double preload : options.preloads_n) {
      k.groups.clear(), k.series.clear(), angle.groups.clear(), angle.series.clear();
      for (std::size_t a = 0; a < amplitudes.size(); ++a) {
        Series sk{.name = "first harmonic", .style = SeriesStyle::line_and_markers, .group = static_cast<int>(a)}, lk{.name = "loop", .style = SeriesStyle::dashed_line, .group = static_cast<int>(a)};
        Series sd = sk, ld = lk;
        for (const RigMapRow& row : result.map) {
          if (nearest_level(amplitudes, row.amplitude) != a || row.preload != preload) continue;
          for (auto* s : {&sk, &lk, &sd, &ld}) s->x.push_back(row.frequency_hz);
          sk.y.push_back(row.response.k_dyn * v.units.stiffness.factor);
          lk.y.push_back(row.response.k_dyn_loop * v.units.stiffness.factor);
          sd.y.push_back(row.response.loss_angle / degree);
          ld.y.push_back(row.response.loss_angle_loop / degree);
        }
        k.groups.push_back(v.amplitude_name(amplitudes[a]));
        angle.groups.push_back(k.groups.back());
        k.series.push_back(std::move(sk)), k.series.push_back(std::move(lk));
        angle.series.push_back(std::move(sd)), angle.series.push_back(std::move(ld));
      }
      d.section(options.preloads_n.size() > 1 ? fmt::format("Map at preload {} N", format_number(preload)) : "Map", "Both data reductions of a real rig.").add(PlotRow{{k, angle}, 0, true});
    }
    if (!result.loops.empty()) d.section("Loops").add(loop_plot(v, result.loops));
  }
  if (!result.static_loop.force.empty()) {
    Plot p{.title = "Static loop", .x = {"Displacement", "mm"}, .y = {"Force", "N"}};
    p.series.push_back({.name = "model", .style = SeriesStyle::line, .x = scaled(result.static_loop.displacement, 1e3), .y = result.static_loop.force});
    d.section("Static loop").add(std::move(p));
  }
  if (!result.series.force.empty()) {
    Plot force{.title = "Force", .x = {"Time", "s"}, .y = {"Force", "N"}}, u{.title = "Displacement", .x = {"Time", "s"}, .y = {"Displacement", "mm"}};
    force.series.push_back({.name = "force", .x = result.series.time, .y = result.series.force});
    u.series.push_back({.name = "displacement", .x = result.series.time, .y = scaled(result.series.displacement, 1e3)});
    u.height_px = 200;
    d.section("Transient").add(PlotRow{{force, u}, 1, true});
  }
  d.section("Findings").add(Findings{.findings = result.findings, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace kdyn::app
