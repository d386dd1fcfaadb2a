// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/validate.hpp"

namespace kdyn::app {
namespace {

using namespace report;

Plot pair_of(const std::string& title, const Axis& x, const Axis& y, std::vector<double> mx, std::vector<double> my,
             std::vector<double> px, std::vector<double> py) {
  Plot plot{.title = title, .x = x, .y = y};
  plot.series.push_back({.name = "measured", .x = std::move(mx), .y = std::move(my)});
  plot.series.push_back({.name = "model", .style = SeriesStyle::dashed_line, .x = std::move(px), .y = std::move(py)});
  return plot;
}

Table part_table(const std::string& title, const std::vector<PartMisfit>& parts, bool map) {
  Table table{.title = title};
  table.columns = {{"Range of"}, {"From", "", Align::right, 3}, {"To", "", Align::right, 3}, {"Unit"}};
  if (map)
    table.columns.insert(
        table.columns.end(),
        {{"Rows", "", Align::right}, {"Stiffness", "%", Align::right, 3}, {"Loss angle", "deg", Align::right, 3}});
  else
    table.columns.push_back({"Force", "%", Align::right, 3});
  for (const PartMisfit& p : parts) {
    Row row{{p.of, p.from, p.to, p.unit}};
    if (map)
      row.cells.insert(row.cells.end(), {Value(p.count), Value(100.0 * p.k_dyn_rel), Value(p.loss_angle / degree)});
    else
      row.cells.emplace_back(100.0 * p.force_rel.value_or(0.0));
    table.rows.push_back(std::move(row));
  }
  table.note = map ? "Rms misfit of the model in each part of the map."
                   : "Rms of the difference over rms of the measured force, by frequency.";
  return table;
}

void add_series(Document& d, const BenchSeries& series, const SeriesValidation& v, const AxisDisplay& units,
                const ValidateJob& job) {
  auto& section = d.section("Transient", fmt::format("The model driven by the measured displacement. Nothing is fitted "
                                                     "but the constant of the force sensor, {:.3g} {}.",
                                                     v.offset * units.force.factor, units.force.unit));
  section.add(series_plots(series, v.model));
  const std::vector<double> u = scaled(series.displacement, units.displacement.factor),
                            f = scaled(series.force, units.force.factor), m = scaled(v.model, units.force.factor);
  PlotRow row;
  row.plots.push_back(pair_of("Force over displacement", {units.displacement_name, units.displacement.unit},
                              {units.force_name, units.force.unit}, u, f, u, m));
  if (v.rate_hz > 0.0)
    row.plots.push_back(pair_of("Power spectral density of force", {"Frequency", "Hz", true},
                                {"Density", "(" + units.force.unit + ")^2/Hz", true},
                                {v.psd_measured.frequency_hz.begin() + 1, v.psd_measured.frequency_hz.end()},
                                {v.psd_measured.density.begin() + 1, v.psd_measured.density.end()},
                                {v.psd_model.frequency_hz.begin() + 1, v.psd_model.frequency_hz.end()},
                                {v.psd_model.density.begin() + 1, v.psd_model.density.end()}));
  row.plots.push_back(pair_of("Level crossings", {"Crossings", "", true}, {"Level", units.force.unit},
                              v.load_measured.crossings.count,
                              scaled(v.load_measured.crossings.level, units.force.factor), v.load_model.crossings.count,
                              scaled(v.load_model.crossings.level, units.force.factor)));
  section.add(row);
  Table damage{.title = "Loads"};
  damage.columns = {{"Figure"},
                    {"Measured", "", Align::right},
                    {"Model", "", Align::right},
                    {"Model over measured", "", Align::right, 3}};
  const auto range = [&](const Durability& load) { return (load.highest - load.lowest) * units.force.factor; };
  damage.rows.push_back({{"Range, " + units.force.unit, range(v.load_measured), range(v.load_model),
                          range(v.load_model) / range(v.load_measured)}});
  for (std::size_t i = 0; i < job.exponents.size(); ++i)
    damage.rows.push_back({{fmt::format("Pseudo-damage, k = {:g}", job.exponents[i]), v.load_measured.damage[i],
                            v.load_model.damage[i], v.damage_ratio[i]},
                           v.damage_ratio[i] > 2.0 || v.damage_ratio[i] < 0.5 ? Quality::fair : Quality::neutral});
  damage.note = "Rainflow cycles; shaded: apart by more than a factor of 2.";
  section.add(damage);
  if (!v.bands.empty()) section.add(part_table("Misfit by frequency", v.bands, false));
}

}  // namespace

Document validation_report(const std::string& title, const Mount& mount, const ElastomerData& data, const Validation& v,
                           const ValidateJob& job) {
  const AxisDisplay units = axis_display(v.axis);
  Document d{.title = title,
             .subtitle = "Validation of the model " + mount.model() + " on measurements that took no part in its fit"};
  const bool good = v.status == "done";
  d.key_figures.push_back({.label = "Verdict",
                           .value = good ? "predicts" : "does not predict",
                           .quality = good ? Quality::good : Quality::poor});
  if (!v.map.empty()) {
    d.key_figures.push_back({.label = "Stiffness misfit",
                             .value = 100.0 * v.rms_k_dyn_rel,
                             .unit = "%",
                             .quality = judge(v.rms_k_dyn_rel, 0.05, job.allowed_k_dyn_rel),
                             .note = "rms over the map",
                             .digits = 3});
    d.key_figures.push_back({.label = "Loss angle misfit",
                             .value = v.rms_loss_angle / degree,
                             .unit = "deg",
                             .quality = judge(v.rms_loss_angle / degree, 1.5, job.allowed_loss_angle_deg),
                             .note = "rms over the map",
                             .digits = 3});
  }
  for (const SeriesValidation& s : v.series)
    d.key_figures.push_back({.label = "Transient misfit",
                             .value = 100.0 * s.rms_rel,
                             .unit = "%",
                             .quality = judge(s.rms_rel, 0.05, job.allowed_force_rel),
                             .note = "rms, of the force about its mean",
                             .digits = 3});
  d.section("Verdict", good ? "The model describes data it was not fitted to: " + v.reason + "."
                            : "Not to be used for this: " + v.reason + ".")
      .add(Findings{v.findings});
  if (!v.map.empty()) {
    const MapView view(data.map);
    const ModelResponse model = [&](double f, double a, double preload) {
      const auto r = mount.closed_form(f, a, mount.static_displacement(preload));
      if (!r) return ModelPoint{std::nan(""), std::nan("")};
      return job.loop_criterion ? ModelPoint{r->k_dyn_loop, r->loss_angle_loop} : ModelPoint{r->k_dyn, r->loss_angle};
    };
    auto& section = d.section("Dynamic stiffness", "Markers are measured, lines are the model.");
    for (std::size_t p = 0; p < view.preloads.size(); ++p) {
      PlotRow row = over_frequency(view, p, model);
      if (view.preloads.size() > 1)
        for (Plot& plot : row.plots) plot.title += ", preload " + view.preload_name(p);
      section.add(std::move(row));
    }
    section.add(part_table("Misfit by amplitude and frequency", v.parts, true));
  }
  for (std::size_t i = 0; i < v.loops.size(); ++i)
    d.section("Static loop", to_words(v.loops[i].history, v.loops[i].rest, v.axis) + ".")
        .add(static_plots(data.loops[i], v.loops[i].force));
  for (std::size_t i = 0; i < v.series.size(); ++i) add_series(d, data.series[i], v.series[i], units, job);
  return d;
}

}  // namespace kdyn::app
