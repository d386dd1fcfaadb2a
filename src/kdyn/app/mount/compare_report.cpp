// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/mount/compare_job.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {
namespace {

using namespace report;

std::vector<double> log_grid(double lower, double upper, int points) {
  std::vector<double> x;
  if (!(upper > 1.0001 * lower)) return {lower};
  for (int i = 0; i < points; ++i) x.push_back(lower * std::pow(upper / lower, i / (points - 1.0)));
  return x;
}

// Up to `count` of the levels, ends included.
std::vector<double> chosen(const std::vector<double>& levels, std::size_t count) {
  if (levels.size() <= count) return levels;
  std::vector<double> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(levels[i * (levels.size() - 1) / (count - 1)]);
  return some;
}

// The laws that are drawn: the best three, and the last one when it is none of them, as the contrast.
std::vector<std::size_t> drawn_laws(const CompareResult& r) {
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, r.laws.size()); ++i) drawn.push_back(i);
  if (r.laws.size() > 3) drawn.push_back(r.laws.size() - 1);
  return drawn;
}

struct Axes {
  AxisDisplay units;
  std::string name(double a) const {
    return fmt::format("{} {}", format_number(a * units.displacement.factor, 3), units.displacement.unit);
  }
};

// Stiffness and loss angle over amplitude at one frequency: measured, and each drawn law as a line.
PlotRow over_amplitude(const Axes& axes, const CompareResult& r, double frequency) {
  Plot k{.title = fmt::format("Stiffness over amplitude at {} Hz", format_number(frequency, 3)),
         .x = {"Amplitude", axes.units.displacement.unit, true},
         .y = {"Dynamic stiffness", axes.units.stiffness.unit}};
  Plot d{.title = fmt::format("Loss angle over amplitude at {} Hz", format_number(frequency, 3)),
         .x = k.x,
         .y = {"Loss angle", "deg"}};
  Series mk{.name = "measured", .style = SeriesStyle::markers}, md = mk;
  for (const MapRow& row : r.rows) {
    if (r.frequency_levels[nearest_level(r.frequency_levels, row.frequency_hz)] != frequency) continue;
    mk.x.push_back(row.amplitude * axes.units.displacement.factor);
    mk.y.push_back(row.k_dyn * axes.units.stiffness.factor);
    md.x.push_back(mk.x.back());
    md.y.push_back(row.loss_angle / degree);
  }
  k.series.push_back(mk);
  d.series.push_back(md);
  for (const std::size_t i : drawn_laws(r)) {
    Series s{.name = r.laws[i].title, .style = i < 3 ? SeriesStyle::line : SeriesStyle::dashed_line}, t = s;
    for (const double a : log_grid(r.amplitude_levels.front(), r.amplitude_levels.back(), 61)) {
      const std::complex<double> K = r.laws[i].stiffness_at(frequency, a);
      s.x.push_back(a * axes.units.displacement.factor);
      s.y.push_back(std::abs(K) * axes.units.stiffness.factor);
      t.x.push_back(s.x.back());
      t.y.push_back(std::arg(K) / degree);
    }
    k.series.push_back(std::move(s));
    d.series.push_back(std::move(t));
  }
  return {{k, d}, 0, true};
}

// The same over frequency at one amplitude.
PlotRow over_frequency(const Axes& axes, const CompareResult& r, double amplitude) {
  Plot k{.title = "Stiffness over frequency at " + axes.name(amplitude),
         .x = {"Frequency", "Hz", true},
         .y = {"Dynamic stiffness", axes.units.stiffness.unit}};
  Plot d{.title = "Loss angle over frequency at " + axes.name(amplitude), .x = k.x, .y = {"Loss angle", "deg"}};
  Series mk{.name = "measured", .style = SeriesStyle::markers}, md = mk;
  for (const MapRow& row : r.rows) {
    if (r.amplitude_levels[nearest_level(
            r.amplitude_levels, row.nominal_amplitude > 0.0 ? row.nominal_amplitude : row.amplitude)] != amplitude)
      continue;
    mk.x.push_back(row.frequency_hz);
    mk.y.push_back(row.k_dyn * axes.units.stiffness.factor);
    md.x.push_back(row.frequency_hz);
    md.y.push_back(row.loss_angle / degree);
  }
  k.series.push_back(mk);
  d.series.push_back(md);
  for (const std::size_t i : drawn_laws(r)) {
    Series s{.name = r.laws[i].title, .style = i < 3 ? SeriesStyle::line : SeriesStyle::dashed_line}, t = s;
    for (const double f : log_grid(r.frequency_levels.front(), r.frequency_levels.back(), 61)) {
      const std::complex<double> K = r.laws[i].stiffness_at(f, amplitude);
      s.x.push_back(f);
      s.y.push_back(std::abs(K) * axes.units.stiffness.factor);
      t.x.push_back(f);
      t.y.push_back(std::arg(K) / degree);
    }
    k.series.push_back(std::move(s));
    d.series.push_back(std::move(t));
  }
  return {{k, d}, 0, true};
}

Table ranking_table(const CompareResult& r) {
  Table t{.columns = {{"Rank"},
                      {"Law"},
                      {"Score", "%", Align::right, 3},
                      {"Fit", "%", Align::right, 3},
                      {"Left-out amplitudes", "%", Align::right, 3},
                      {"Left-out frequencies", "%", Align::right, 3},
                      {"Left-out records", "%", Align::right, 3},
                      {"Stiffness misfit of the fit", "%", Align::right, 3},
                      {"Angle misfit of the fit", "deg", Align::right, 3},
                      {"Parameters"}}};
  for (std::size_t i = 0; i < r.laws.size(); ++i) {
    const LawFit& f = r.laws[i];
    t.rows.push_back({{static_cast<double>(i + 1), f.title, 100.0 * f.score, 100.0 * f.fit.total,
                       f.left_out_amplitudes ? Value(100.0 * f.left_out_amplitudes->total) : Value("-"),
                       f.left_out_frequencies ? Value(100.0 * f.left_out_frequencies->total) : Value("-"),
                       f.left_out_records ? Value(100.0 * f.left_out_records->total) : Value("-"),
                       100.0 * f.fit.k_dyn_rel, f.fit.loss_angle / degree, static_cast<double>(f.parameters.size())},
                      i == 0 ? Quality::good : Quality::neutral});
  }
  t.note = r.cross_validated ? "Score: rms error on data left out of the fit, of the complex stiffness of rows and of "
                               "the force of records. A law that "
                               "fits well but predicts badly has "
                               "too many parameters for these data."
                             : "The data allow no cross-validation: the score is the misfit of the fit itself.";
  return t;
}

Heatmap amplitude_heatmap(const Axes& axes, const CompareResult& r) {
  Heatmap map{.title = "Misfit at each amplitude, %", .lower = 0.0, .scale = ColourScale::sequential, .decimals = 1};
  double most = 0.0;
  for (const double a : r.amplitude_levels) map.column_names.push_back(axes.name(a));
  for (const LawFit& f : r.laws) {
    map.row_names.push_back(f.title);
    std::vector<double> row;
    for (const double m : f.amplitude_misfit) {
      row.push_back(100.0 * m);
      if (std::isfinite(m)) most = std::max(most, 100.0 * m);
    }
    map.values.push_back(std::move(row));
  }
  map.upper = std::max(1.0, std::min(most, 40.0));
  map.caption = r.amplitude_levels.size() > 1 ? "Each column was left out of the fit that predicts it. Linear laws "
                                                "fail at the ends, where stiffness differs most from the middle."
                                              : "Misfit of the fit.";
  return map;
}

void add_records(Document& d, const Axes& axes, const ElastomerData& data, const CompareResult& r) {
  if (data.series.empty() || r.laws.empty()) return;
  auto& section = d.section("Records in time",
                            "The fitted laws follow the recorded displacement; a first harmonic cannot show the shape "
                            "of a loop, this can. Means are taken out.");
  Table t{.title = "Force misfit over force variation", .columns = {{"Record"}}};
  for (const LawFit& f : r.laws) t.columns.push_back({f.title, "%", Align::right, 3});
  for (std::size_t s = 0; s < data.series.size(); ++s) {
    Row row{{std::filesystem::path(data.series[s].source.path).stem().string()}};
    for (const LawFit& f : r.laws) row.cells.push_back(100.0 * f.series[s].force_rel);
    t.rows.push_back(std::move(row));
  }
  section.add(std::move(t));
  for (std::size_t s = 0; s < data.series.size(); ++s) {
    Plot plot{.title = std::filesystem::path(data.series[s].source.path).stem().string(),
              .x = {axes.units.displacement_name, axes.units.displacement.unit},
              .y = {axes.units.force_name, axes.units.force.unit}};
    const SeriesMisfit& first = r.laws.front().series[s];
    plot.series.push_back({.name = "measured",
                           .style = SeriesStyle::line,
                           .x = scaled(first.displacement, axes.units.displacement.factor),
                           .y = first.measured});
    for (std::size_t i = 0; i < std::min<std::size_t>(2, r.laws.size()); ++i)
      plot.series.push_back({.name = r.laws[i].title,
                             .style = SeriesStyle::dashed_line,
                             .x = scaled(r.laws[i].series[s].displacement, axes.units.displacement.factor),
                             .y = r.laws[i].series[s].model});
    section.add(std::move(plot));
  }
}

}  // namespace

Document compare_report(const std::string& title, const ElastomerData& data, const CompareResult& r) {
  const Axes axes{axis_display(r.axis)};
  Document d{.title = title, .subtitle = "Which law explains these data"};
  if (!r.laws.empty()) {
    d.key_figures.push_back({.label = "Best law", .value = r.laws[0].title, .quality = Quality::good});
    d.key_figures.push_back({.label = r.cross_validated ? "Its prediction error" : "Its misfit",
                             .value = 100.0 * r.laws[0].score,
                             .unit = "%",
                             .note = r.rows.empty() ? "of the force, rms" : "rms",
                             .digits = 3});
    if (r.laws.size() > 1)
      d.key_figures.push_back(
          {.label = "Next best", .value = 100.0 * r.laws[1].score, .unit = "%", .note = r.laws[1].title, .digits = 3});
  }
  d.key_figures.push_back(
      {.label = "Rows",
       .value = r.rows.size(),
       .note = fmt::format("{} amplitudes, {} frequencies", r.amplitude_levels.size(), r.frequency_levels.size())});
  d.section("Why the winner wins", r.verdict);
  auto& why = d.sections.back();
  const std::vector<double> f = chosen(r.frequency_levels, 3), a = chosen(r.amplitude_levels, 3);
  if (!r.laws.empty()) {
    if (r.amplitude_levels.size() > 1) why.add(over_amplitude(axes, r, f[f.size() / 2]));
    if (r.frequency_levels.size() > 1) why.add(over_frequency(axes, r, a[a.size() / 2]));
    if (!r.amplitude_levels.empty()) why.add(amplitude_heatmap(axes, r));
  }
  d.section("Ranking").add(ranking_table(r));
  if (!r.laws.empty()) {
    std::vector<Block> more;
    for (const double one : f)
      if (one != f[f.size() / 2] && r.amplitude_levels.size() > 1) more.push_back({over_amplitude(axes, r, one)});
    for (const double one : a)
      if (one != a[a.size() / 2] && r.frequency_levels.size() > 1) more.push_back({over_frequency(axes, r, one)});
    if (!more.empty()) d.sections.back().add(Details("Other amplitudes and frequencies", std::move(more)));
  }
  add_records(d, axes, data, r);
  auto& parameters = d.section("Parameters of each law");
  for (const LawFit& fit : r.laws) {
    std::vector<Block> blocks = {{parameter_table(fit.parameters)}};
    if (!fit.not_told_apart.empty()) {
      std::string text;
      for (const std::string& sentence : fit.not_told_apart) text += sentence + ".\n\n";
      blocks.push_back({Text{text}});
    }
    parameters.add(Details(fit.title, std::move(blocks)));
  }
  d.section("Findings").add(Findings{.findings = r.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

}  // namespace kdyn::app
