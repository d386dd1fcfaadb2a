// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/temperature_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"

namespace kdyn::app {
namespace {}  // namespace

Json temperature_json(const std::vector<TemperatureLevel>& levels) {
  Json all = Json::array();
  for (const TemperatureLevel& level : levels)
    all.push_back({{"temperature_c", level.temperature_c},
                   {"reference", level.reference},
                   {"rows", level.rows},
                   {"converged", level.converged},
                   {"parameters", parameters_json(level.parameters)},
                   {"rms_kdyn_rel", level.rms_k_dyn_rel},
                   {"rms_loss_deg", level.rms_loss_angle / degree}});
  return all;
}

void add_temperature_section(report::Document& document, const std::vector<TemperatureLevel>& levels) {
  report::Plot plot{
      .title = "Factors over temperature", .x = {"Temperature", "degC"}, .y = {"Factor to the reference", ""}};
  const char* const names[] = {"all stiffness", "frequency-dependent part", "amplitude-dependent part"};
  report::Table table;
  table.columns = {{"Temperature", "degC"},
                   {"Rows"},
                   {"Stiffness", "", report::Align::right},
                   {"Frequency part", "", report::Align::right},
                   {"Amplitude part", "", report::Align::right},
                   {"Stiffness misfit", "%"},
                   {"Loss angle misfit", "deg"}};
  for (std::size_t i = 0; i < 3; ++i)
    plot.series.push_back({.name = names[i], .style = report::SeriesStyle::line_and_markers});
  for (const TemperatureLevel& level : levels) {
    const double values[] = {level.factors.stiffness, level.factors.freq, level.factors.ampl};
    report::Row row;
    row.cells = {level.temperature_c, level.rows};
    for (std::size_t i = 0; i < 3; ++i) {
      report::Series& s = plot.series[i];
      s.x.push_back(level.temperature_c);
      s.y.push_back(values[i]);
      s.lower.push_back(level.reference ? 1.0 : level.parameters[i].lower_95);
      s.upper.push_back(level.reference ? 1.0 : level.parameters[i].upper_95);
      row.cells.emplace_back(level.reference
                                 ? "reference"
                                 : fmt::format("{} ({} ... {})", format_number(values[i], 3),
                                               format_number(s.lower.back(), 3), format_number(s.upper.back(), 3)));
    }
    if (level.reference) {
      row.cells.emplace_back();
      row.cells.emplace_back();
    } else {
      row.cells.emplace_back(100.0 * level.rms_k_dyn_rel);
      row.cells.emplace_back(level.rms_loss_angle / degree);
    }
    table.rows.push_back(std::move(row));
  }
  document.section("Temperature", "The law holds at the reference temperature; these factors carry it to the others.")
      .named("temperature")
      .add(std::move(plot))
      .add(std::move(table));
}

Outcome fit_separate_temperatures(const FitElastomerJob& job, const BenchInputs& inputs, Progress& progress) {
  Outcome outcome;
  outcome.inputs = inputs.inputs;
  const std::vector<double> levels = temperature_levels(inputs.data.map);
  report::Document document{.title = job.title.empty() ? "Elastomer over temperature" : job.title,
                            .subtitle = "One fit per temperature"};
  report::Table table;
  table.columns = {{"Temperature", "degC"}, {"Status"}, {"Stiffness misfit", "%"}, {"Loss angle misfit", "deg"}};
  std::vector<report::Plot> plots;
  Json fits = Json::array();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(levels.size()), fmt::format("{:g} degC", levels[i]));
    ElastomerData data = inputs.data;
    data.map = at_temperature_level(inputs.data.map, levels, i);
    if (i != reference_level(levels)) data.loops.clear(), data.series.clear();
    const ElastomerFitResult fit = fit_elastomer(data, job.fit, progress);
    outcome.complete = outcome.complete && fit.status == "converged";
    Json entry = {{"temperature_c", levels[i]},
                  {"status", fit.status},
                  {"parameters", parameters_json(fit.parameters)},
                  {"fit", {{"rms_kdyn_rel", fit.rms_k_dyn_rel}, {"rms_loss_deg", fit.rms_loss_angle / degree}}}};
    model_json(fit.law, entry["model"]);
    fits.push_back(std::move(entry));
    report::Row row;
    row.cells = {levels[i], fit.status, 100.0 * fit.rms_k_dyn_rel, fit.rms_loss_angle / degree};
    std::size_t plot = 0;
    for (const ParameterEstimate& p : fit.parameters) {
      if (p.status != ParameterStatus::free) continue;
      const DisplayUnit unit = display_unit(p.unit);
      if (i == 0) {
        plots.push_back({.title = p.name,
                         .x = {"Temperature", "degC"},
                         .y = {p.name, unit.unit},
                         .series = {{.name = p.name, .style = report::SeriesStyle::line_and_markers}},
                         .height_px = 220});
        table.columns.push_back({p.name, unit.unit});
      }
      if (plot < plots.size()) {
        report::Series& s = plots[plot++].series.front();
        s.x.push_back(levels[i]);
        s.y.push_back(p.value * unit.factor);
        s.lower.push_back(p.lower_95 * unit.factor);
        s.upper.push_back(p.upper_95 * unit.factor);
      }
      row.cells.emplace_back(p.value * unit.factor);
    }
    row.cells.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  outcome.result["status"] = outcome.complete ? "converged" : "not_converged";
  outcome.result["temperatures"] = std::move(fits);
  std::vector<Finding> findings = inputs.findings;
  if (!inputs.data.loops.empty() || !inputs.data.series.empty())
    findings.push_back(
        {Severity::warning, "used_at_one_temperature", "data",
         fmt::format("static loops and records were used at {:.4g} degC only", levels[reference_level(levels)]),
         "fit another temperature with its own loop: --temperature with the files of that temperature"});
  outcome.result["findings"] = to_json(findings);
  auto& section = document.section("Trend of the parameters", "Bars are 95 % intervals.");
  for (std::size_t i = 0; i < plots.size(); i += 3)
    section.add(report::PlotRow{{plots.begin() + static_cast<std::ptrdiff_t>(i),
                                 plots.begin() + static_cast<std::ptrdiff_t>(std::min(i + 3, plots.size()))}});
  document.section("Table").add(std::move(table));
  outcome.document = std::move(document);
  outcome.text = fmt::format("fitted {} temperatures\n", levels.size()) + findings_text(findings);
  return outcome;
}

}  // namespace kdyn::app
