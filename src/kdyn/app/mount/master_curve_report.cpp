// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/master_curve_job.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {
namespace {

using namespace report;

struct CurveUnits {
  std::string unit;
  double factor;
  std::string storage, loss;
};

// Points over frequency as measured, or over reduced frequency with the smooth curve.
Plot curve_plot(const MasterCurveResult& r, const CurveUnits& units, bool loss, bool reduced) {
  Plot plot{
      .title = fmt::format("{} {}", loss ? units.loss : units.storage, reduced ? "on the master curve" : "as measured"),
      .x = {reduced ? "Reduced frequency" : "Frequency", "Hz", true},
      .y = {loss ? units.loss : units.storage, units.unit, true},
      .group_label = "Temperature",
      .palette = Palette::sequential};
  for (std::size_t level = 0; level < r.factors.size(); ++level) {
    const ShiftFactor& f = r.factors[level];
    plot.groups.push_back(fmt::format("{:.3g} degC", f.temperature_c));
    Series s{.name = "measured",
             .style = reduced ? SeriesStyle::markers : SeriesStyle::line_and_markers,
             .group = static_cast<int>(level)};
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < r.rows.size(); ++i) {
      if (r.level_of[i] != level || (loss && !(r.rows[i].loss > 0.0))) continue;
      points.emplace_back(r.rows[i].frequency_hz * (reduced ? std::pow(10.0, f.log_a) : 1.0),
                          (loss ? r.rows[i].loss : r.rows[i].storage) / (reduced ? f.b : 1.0) * units.factor);
    }
    std::sort(points.begin(), points.end());
    for (const auto& [x, y] : points) s.x.push_back(x), s.y.push_back(y);
    plot.series.push_back(std::move(s));
  }
  return plot;
}

void add_curve(Plot& plot, const MasterCurveResult& r, bool loss, double factor) {
  plot.groups.clear();
  for (Series& s : plot.series)
    s.name = fmt::format("{:.3g} degC", r.factors[static_cast<std::size_t>(s.group)].temperature_c);
  Series line{.name = "master curve", .style = SeriesStyle::line, .group = static_cast<int>(r.factors.size())};
  for (const MasterPoint& p : r.curve) {
    line.x.push_back(p.frequency_hz);
    line.y.push_back((loss ? p.loss : p.storage) * factor);
  }
  plot.series.push_back(std::move(line));
}

Plot shift_plot(const MasterCurveResult& r) {
  Plot plot{.title = "Shift factors", .x = {"Temperature", "degC"}, .y = {"log10 a", ""}};
  Series s{.name = "identified, 95 % interval", .style = SeriesStyle::markers};
  for (const ShiftFactor& f : r.factors) {
    s.x.push_back(f.temperature_c);
    s.y.push_back(f.log_a);
    s.lower.push_back(std::isfinite(f.log_a_lower) ? f.log_a_lower : f.log_a);
    s.upper.push_back(std::isfinite(f.log_a_upper) ? f.log_a_upper : f.log_a);
    s.hover.push_back(f.status);
  }
  plot.series.push_back(std::move(s));
  for (std::size_t i = 0; i < r.laws.size(); ++i) {
    const ShiftLaw& law = r.laws[i];
    Series line{.name = law.title, .style = i == 0 ? SeriesStyle::line : SeriesStyle::dashed_line};
    const double low = r.factors.front().temperature_c, high = r.factors.back().temperature_c;
    for (int k = 0; k <= 100; ++k) {
      const double T = low + (high - low) * k / 100.0;
      line.x.push_back(T);
      line.y.push_back(law.law == "wlf" ? wlf_log_a(law.parameters[0].value, law.parameters[1].value, T, r.reference_c)
                                        : arrhenius_log_a(law.parameters[0].value, T, r.reference_c));
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

Table factor_table(const MasterCurveResult& r) {
  Table t{.columns = {{"Temperature", "degC", Align::right, 4},
                      {"Rows"},
                      {"log10 a", "", Align::right, 4},
                      {"95 % interval", "", Align::right},
                      {"By the law", "", Align::right, 4},
                      {"b", "", Align::right, 4},
                      {"Overlap", "decades", Align::right, 3},
                      {"Storage misfit", "%", Align::right, 3},
                      {"Loss misfit", "%", Align::right, 3},
                      {"Status"}}};
  for (const ShiftFactor& f : r.factors) {
    std::string status = f.status;
    std::replace(status.begin(), status.end(), '_', ' ');
    const Quality quality = f.status == "not_determined" ? Quality::poor
                            : f.status == "uncertain"    ? Quality::fair
                                                         : Quality::neutral;
    t.rows.push_back({{f.temperature_c, static_cast<double>(f.rows), f.log_a,
                       f.status == "reference"      ? std::string("-")
                       : std::isfinite(f.log_a_std) ? fmt::format("{:.3f} ... {:.3f}", f.log_a_lower, f.log_a_upper)
                                                    : std::string("not determined"),
                       f.law_log_a, f.b, f.overlap_decades, 100.0 * f.rms_storage_rel, 100.0 * f.rms_loss_rel, status},
                      quality});
  }
  t.note = "Reduced frequency is a f: above the reference temperature a is below 1.";
  return t;
}

}  // namespace

Document master_curve_report(const std::string& title, const MasterCurveInputs& inputs, const MasterCurveResult& r) {
  const CurveUnits units = inputs.stiffness ? CurveUnits{"N/mm", 1e-3, "Storage stiffness", "Loss stiffness"}
                                            : CurveUnits{"MPa", 1e-6, "Storage modulus", "Loss modulus"};
  const bool loss = std::any_of(r.rows.begin(), r.rows.end(), [](const ModulusRow& row) { return row.loss > 0.0; });
  Document d{.title = title, .subtitle = "Master curve over temperature"};
  std::size_t told = 0;
  for (const ShiftFactor& f : r.factors) told += f.status == "determined" ? 1 : 0;
  d.key_figures.push_back({.label = "Reference", .value = r.reference_c, .unit = "degC", .digits = 3});
  d.key_figures.push_back({.label = "Shift factors determined",
                           .value = fmt::format("{} of {}", told, r.factors.size() - 1),
                           .quality = told + 1 == r.factors.size() ? Quality::good : Quality::fair});
  d.key_figures.push_back({.label = "Left of the storage",
                           .value = 100.0 * r.noise_storage_rel,
                           .unit = "%",
                           .quality = r.status == "poor_fit" ? Quality::poor : Quality::neutral,
                           .note = "scatter about the one curve",
                           .digits = 3});
  if (!r.laws.empty())
    d.key_figures.push_back({.label = "Better law",
                             .value = r.laws.front().title,
                             .note = fmt::format("leaves {:.2f} decades", r.laws.front().rms_decades)});
  auto& curves = d.section("Master curve", inputs.note);
  Plot storage = curve_plot(r, units, false, true);
  add_curve(storage, r, false, units.factor);
  curves.add(std::move(storage));
  if (loss) {
    Plot one = curve_plot(r, units, true, true);
    add_curve(one, r, true, units.factor);
    curves.add(std::move(one));
  }
  auto& factors = d.section("Shift factors");
  factors.add(shift_plot(r));
  factors.add(factor_table(r));
  for (const ShiftLaw& law : r.laws) {
    std::vector<Block> blocks = {{parameter_table(law.parameters)}};
    factors.add(Details(fmt::format("{}: leaves {:.3f} decades", law.title, law.rms_decades), std::move(blocks)));
  }
  auto& raw = d.section("As measured");
  PlotRow row{{curve_plot(r, units, false, false)}, 0, true};
  if (loss) row.plots.push_back(curve_plot(r, units, true, false));
  raw.add(std::move(row));
  d.section("Findings").add(Findings{.findings = r.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

}  // namespace kdyn::app
