// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/temperature_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/fit_summary.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/laws/model_field.hpp"

namespace kdyn::app {
namespace {

// The fit at one temperature, by itself.
struct FitAtTemperature {
  double temperature_c;
  ElastomerFitResult fit;
};
const FieldTable& fields_of(const FitAtTemperature*) {
  using F = FitAtTemperature;
  static const FieldTable table = FieldTable::results<F>("fit at a temperature", [](FieldTable& t) {
    t.add(&F::temperature_c, "temperature_c", "degC", "Temperature");
    t.add([](const F& f) { return f.fit.status; }, "status", "-", "Status of its fit");
    t.add([](const F& f) { return f.fit.parameters; }, "parameters", "-", "Identified parameters").keyed_by("name");
    t.add(
        [](const F& f) {
          return MapMisfit{f.fit.rms_k_dyn_rel, f.fit.rms_loss_angle / degree};
        },
        "fit", "-", "Misfit");
    t.add([](const F& f) { return model_object(f.fit.law); }, "model", "-", "The mount here, as a model file");
  });
  return table;
}

}  // namespace

struct SeparateTemperaturesOutput {
  std::vector<FitAtTemperature> fits{};
  bool complete = true;
  std::vector<Finding> findings{};
};

const FieldTable& fields_of(const SeparateTemperaturesOutput*) {
  using O = SeparateTemperaturesOutput;
  static const FieldTable table = FieldTable::results<O>("result of separate temperatures", [](FieldTable& t) {
    t.add([](const O& o) { return o.complete ? "converged" : "not_converged"; }, "status", "-",
          "converged when every fit did");
    t.add([](const O& o) { return o.fits; }, "temperatures", "-", "A fit for each temperature");
    add_findings<O>(t);
  });
  return table;
}

void add_temperature_section(report::Document& document, const std::vector<TemperatureLevel>& levels) {
  report::Plot plot{
      .title = "Factors over temperature", .x = {"Temperature", "degC"}, .y = {"Factor to the reference", ""}};
  report::Table table;
  table.columns = {{"Temperature", "degC"}, {"Rows"}};
  // Every level but the reference has the same factors.
  std::size_t count = 0;
  for (const TemperatureLevel& level : levels) {
    if (level.reference || count > 0) continue;
    count = level.parameters.size();
    for (const ParameterEstimate& p : level.parameters) {
      plot.series.push_back({.name = p.meaning, .style = report::SeriesStyle::line_and_markers});
      table.columns.push_back({p.name, "", report::Align::right});
    }
  }
  table.columns.push_back({"Stiffness misfit", "%"});
  table.columns.push_back({"Loss angle misfit", "deg"});
  for (const TemperatureLevel& level : levels) {
    report::Row row;
    row.cells = {level.temperature_c, level.rows};
    for (std::size_t i = 0; i < count; ++i) {
      report::Series& s = plot.series[i];
      s.x.push_back(level.temperature_c);
      s.y.push_back(level.reference ? 1.0 : level.parameters[i].value);
      s.lower.push_back(level.reference ? 1.0 : level.parameters[i].lower_95);
      s.upper.push_back(level.reference ? 1.0 : level.parameters[i].upper_95);
      row.cells.emplace_back(level.reference
                                 ? "reference"
                                 : fmt::format("{} ({} ... {})", format_number(s.y.back(), 3),
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
  SeparateTemperaturesOutput output;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(levels.size()), fmt::format("{:g} degC", levels[i]));
    ElastomerData data = inputs.data;
    data.map = at_temperature_level(inputs.data.map, levels, i);
    if (i != reference_level(levels)) data.loops.clear(), data.series.clear();
    output.fits.push_back({levels[i], fit_elastomer(data, job.fit, progress)});
    const ElastomerFitResult& fit = output.fits.back().fit;
    output.complete = output.complete && fit.status == "converged";
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
  output.findings = inputs.findings;
  if (!inputs.data.loops.empty() || !inputs.data.series.empty())
    output.findings.push_back(
        {Severity::warning, "used_at_one_temperature", "data",
         fmt::format("static loops and records were used at {:.4g} degC only", levels[reference_level(levels)]),
         "fit another temperature with its own loop: --temperature with the files of that temperature"});
  outcome.complete = output.complete;
  to_json_fields(output, outcome.result);
  auto& section = document.section("Trend of the parameters", "Bars are 95 % intervals.");
  for (std::size_t i = 0; i < plots.size(); i += 3)
    section.add(report::PlotRow{{plots.begin() + static_cast<std::ptrdiff_t>(i),
                                 plots.begin() + static_cast<std::ptrdiff_t>(std::min(i + 3, plots.size()))}});
  document.section("Table").add(std::move(table));
  outcome.document = std::move(document);
  outcome.text = fmt::format("fitted {} temperatures\n", levels.size()) + findings_text(output.findings);
  return outcome;
}

}  // namespace kdyn::app
