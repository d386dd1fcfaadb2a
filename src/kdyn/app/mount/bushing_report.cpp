// SPDX-License-Identifier: Apache-2.0
// The picture of a bushing: one verdict, directions beside each other, then each direction with its data.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/bushing_job.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::app {
namespace {

using namespace report;

double at(const Json& row, const char* key) {
  return row.contains(key) && row[key].is_number() ? row[key].get<double>() : std::nan("");
}

Quality quality_of(const FittedDirection& d) {
  if (d.status != "converged") return Quality::poor;
  Quality worst = Quality::good;
  if (d.rms_kdyn_rel) worst = std::max(worst, judge(*d.rms_kdyn_rel, 0.02, 0.05));
  if (d.rms_loss_deg) worst = std::max(worst, judge(*d.rms_loss_deg, 1.0, 2.5));
  return worst;
}

void add_key_figures(Document& d, const FitBushingOutput& out) {
  d.key_figures.push_back(
      {.label = "Status", .value = out.status, .quality = out.status == "converged" ? Quality::good : Quality::poor});
  std::size_t axes = 0;
  const FittedDirection *stiffness = nullptr, *angle = nullptr;
  for (const FittedDirection& one : out.directions) {
    if (!one.model.is_null()) axes += one.of->axes.size();
    if (one.rms_kdyn_rel && (stiffness == nullptr || *one.rms_kdyn_rel > *stiffness->rms_kdyn_rel)) stiffness = &one;
    if (one.rms_loss_deg && (angle == nullptr || *one.rms_loss_deg > *angle->rms_loss_deg)) angle = &one;
  }
  d.key_figures.push_back(
      {.label = "Axes with a law",
       .value = fmt::format("{} of 6", axes + out.estimated.size()),
       .note = out.estimated.empty() ? "measured" : fmt::format("{} estimated", out.estimated.size())});
  if (stiffness != nullptr)
    d.key_figures.push_back({.label = "Stiffness misfit",
                             .value = 100.0 * *stiffness->rms_kdyn_rel,
                             .unit = "%",
                             .quality = judge(*stiffness->rms_kdyn_rel, 0.02, 0.05),
                             .note = "largest, " + stiffness->of->axis_words(),
                             .digits = 3});
  if (angle != nullptr)
    d.key_figures.push_back({.label = "Loss angle misfit",
                             .value = *angle->rms_loss_deg,
                             .unit = "deg",
                             .quality = judge(*angle->rms_loss_deg, 1.0, 2.5),
                             .note = "largest, " + angle->of->axis_words(),
                             .digits = 3});
  d.key_figures.push_back({.label = "Coupling", .value = out.coupling});
}

std::string verdict(const FitBushingOutput& out) {
  std::string text;
  Quality worst = Quality::good;
  for (const FittedDirection& d : out.directions) worst = std::max(worst, quality_of(d));
  if (out.status != "converged")
    text = fmt::format("Not to be used as it is: {}. Look at the directions below.", out.reason);
  else
    text = worst == Quality::good
               ? "The model describes every measured direction well."
               : "The model describes the measured directions fairly well; see the table for which one less.";
  if (!out.estimated.empty()) {
    std::vector<std::string> list;
    for (const EstimatedAxis& e : out.estimated) list.push_back(fmt::format("{} = {:g} {}", e.axis, e.ratio, e.from));
    text += fmt::format("\n\nNot measured but stated as ratios: {}.", join(list, ", "));
  }
  if (!out.absent.empty()) text += fmt::format("\n\nWithout a law, they carry no force: {}.", join(out.absent, ", "));
  return text;
}

Table direction_table(const FitBushingOutput& out) {
  Table table{.title = "Fits of the directions"};
  table.columns = {{"Axis"},
                   {"Direction"},
                   {"Law"},
                   {"Status"},
                   {"Static stiffness", "", Align::right},
                   {"Stiffness", "%", Align::right, 3},
                   {"Loss angle", "deg", Align::right, 3},
                   {"Static loop", "N, N m", Align::right, 3}};
  for (const FittedDirection& d : out.directions) {
    const DisplayUnit unit = axis_display(d.of->kind).stiffness;
    Row row;
    row.quality = quality_of(d);
    row.cells = {
        d.of->axis_words(), d.of->label, d.law, d.status,
        d.model.is_null() ? "" : fmt::format("{} {}", format_number(d.static_stiffness * unit.factor), unit.unit)};
    row.cells.push_back(d.rms_kdyn_rel ? Value(100.0 * *d.rms_kdyn_rel) : Value());
    row.cells.push_back(d.rms_loss_deg ? Value(*d.rms_loss_deg) : Value());
    row.cells.push_back(d.rms_static ? Value(*d.rms_static) : Value());
    table.rows.push_back(std::move(row));
  }
  for (const EstimatedAxis& e : out.estimated)
    table.rows.push_back({{e.axis, "not measured", fmt::format("{:g} times {}", e.ratio, e.from), "estimated", "",
                           Value(), Value(), Value()}});
  table.note = "The last three columns are misfits: rms of model less measurement.";
  return table;
}

// Of each direction the amplitude in the middle of those measured, at its first preload.
PlotRow side_by_side(const FitBushingOutput& out, AxisKind kind) {
  const bool torsion = kind == AxisKind::rotation;
  const char *amplitude = torsion ? "amplitude_rad" : "amplitude_m",
             *preload_key = torsion ? "preload_nm" : "preload_n";
  const AxisDisplay units = axis_display(kind);
  Plot stiffness{.title = "Dynamic stiffness",
                 .x = {"Frequency", "Hz"},
                 .y = {"Dynamic stiffness", units.stiffness.unit},
                 .group_label = "Axis"};
  Plot angle{.title = "Loss angle", .x = {"Frequency", "Hz"}, .y = {"Loss angle", "deg"}, .group_label = "Axis"};
  for (const FittedDirection& d : out.directions) {
    if (d.of->kind != kind || d.model.is_null() || !d.outcome.result.contains("map")) continue;
    const Json& map = d.outcome.result["map"];
    if (map.empty()) continue;
    std::vector<double> amplitudes;
    for (const Json& row : map) amplitudes.push_back(at(row, amplitude));
    const std::vector<double> levels = levels_of(amplitudes);
    const std::size_t level = levels.size() / 2;
    const double preload = at(map.front(), preload_key);
    std::vector<const Json*> rows;
    for (std::size_t i = 0; i < map.size(); ++i)
      if (nearest_level(levels, amplitudes[i]) == level && at(map[i], preload_key) == preload) rows.push_back(&map[i]);
    std::sort(rows.begin(), rows.end(),
              [](const Json* a, const Json* b) { return at(*a, "frequency_hz") < at(*b, "frequency_hz"); });
    const int group = static_cast<int>(stiffness.groups.size());
    const std::string name =
        fmt::format("{}, {} {}", d.of->axis_words(), format_number(levels[level] * units.displacement.factor, 3),
                    units.displacement.unit);
    for (Plot* plot : {&stiffness, &angle}) plot->groups.push_back(name);
    const auto add = [&](Plot& plot, const char* key, double factor, bool measured) {
      Series series{.name = measured ? "measured" : "model",
                    .style = measured ? SeriesStyle::markers : SeriesStyle::line,
                    .group = group};
      for (const Json* row : rows)
        series.x.push_back(at(*row, "frequency_hz")), series.y.push_back(factor * at(*row, key));
      plot.series.push_back(std::move(series));
    };
    add(stiffness, "k_dyn", units.stiffness.factor, true);
    add(stiffness, "k_dyn_model", units.stiffness.factor, false);
    add(angle, "loss_angle_deg", 1.0, true);
    add(angle, "loss_angle_model_deg", 1.0, false);
  }
  if (stiffness.series.empty()) return {};
  return {.plots = {std::move(stiffness), std::move(angle)}, .link_x = true};
}

PlotRow static_curves(const FitBushingOutput& out) {
  PlotRow both;
  for (const AxisKind kind : {AxisKind::translation, AxisKind::rotation}) {
    const AxisDisplay units = axis_display(kind);
    Plot plot{.title = "Static " + lower_case(units.force_name),
              .x = {units.displacement_name, units.displacement.unit},
              .y = {units.force_name, units.force.unit},
              .groups = {},
              .group_label = "Axis"};
    for (const FittedDirection& d : out.directions) {
      if (d.of->kind != kind || d.model.is_null() || !(d.of->reach > 0.0)) continue;
      const auto mount = mount_from_json(d.model, d.of->axis_words());
      Series series{.name = "model", .group = static_cast<int>(plot.groups.size())};
      constexpr int points = 81;
      for (int i = 0; i < points; ++i) {
        const double u = d.of->reach * (2.0 * i / (points - 1) - 1.0);
        series.x.push_back(u * units.displacement.factor);
        series.y.push_back(mount->static_force(u) * units.force.factor);
      }
      plot.groups.push_back(d.of->axis_words());
      plot.series.push_back(std::move(series));
    }
    if (!plot.series.empty()) both.plots.push_back(std::move(plot));
  }
  return both;
}

// Parameters of the directions that have the same law, beside each other.
void add_parameters(Document& document, const FitBushingOutput& out) {
  auto& section =
      document.section("Parameters", "Value and standard deviation; intervals stand in the report of each direction.")
          .named("parameters");
  for (const char* law : {"elastomer", "hydromount"})
    for (const AxisKind kind : {AxisKind::translation, AxisKind::rotation}) {
      Table table{.title = std::string(law) == "elastomer"
                               ? (kind == AxisKind::rotation ? "Elastomer, torsion" : "Elastomer")
                               : "Hydro mount"};
      table.columns = {{"Parameter"}, {"Unit"}};
      std::vector<std::string> names;
      std::vector<const FittedDirection*> those;
      for (const FittedDirection& d : out.directions) {
        if (d.law != law || d.model.is_null() || d.of->kind != kind) continue;
        those.push_back(&d);
        table.columns.push_back({d.of->axis_words(), "", Align::right});
        for (const ParameterEstimate& p : d.parameters)
          if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
      }
      if (those.empty()) continue;
      for (const std::string& name : names) {
        Row row;
        row.cells = {name, ""};
        for (const FittedDirection* d : those) {
          const auto p = std::find_if(d->parameters.begin(), d->parameters.end(),
                                      [&](const ParameterEstimate& one) { return one.name == name; });
          if (p == d->parameters.end()) {
            row.cells.emplace_back("");
            continue;
          }
          const DisplayUnit unit = display_unit(p->unit);
          row.cells[1] = unit.unit;
          row.cells.emplace_back(
              std::isnan(p->value)                  ? std::string("unlimited")
              : p->status == ParameterStatus::fixed ? format_number(p->value * unit.factor) + " (held)"
              : !std::isfinite(p->std)              ? format_number(p->value * unit.factor) + " (not determined)"
                                                    : fmt::format("{} ± {}", format_number(p->value * unit.factor),
                                                                  format_number(p->std * unit.factor, 2)));
        }
        table.rows.push_back(std::move(row));
      }
      section.add(std::move(table));
    }
}

}  // namespace

Document bushing_report(const std::string& title, const FitBushingOutput& out) {
  Document d{.title = title,
             .subtitle = fmt::format("Six-axis bushing, {} measured direction{}", out.directions.size(),
                                     out.directions.size() == 1 ? "" : "s")};
  add_key_figures(d, out);
  d.section("Verdict").named("verdict").add(Text{verdict(out)}).add(direction_table(out));
  auto& beside = d.section("Directions side by side",
                           "Markers are measured, lines are the model: of each direction the amplitude in the middle.")
                     .named("side_by_side");
  for (const AxisKind kind : {AxisKind::translation, AxisKind::rotation})
    if (PlotRow row = side_by_side(out, kind); !row.plots.empty()) beside.add(std::move(row));
  if (PlotRow row = static_curves(out); !row.plots.empty()) beside.add(std::move(row));
  add_parameters(d, out);
  for (const FittedDirection& one : out.directions) {
    if (one.model.is_null() || !one.outcome.document) continue;
    auto& section =
        d.section(
             fmt::format("Axis {}: {}", one.of->axis_words(), one.law == "hydromount" ? "hydro mount" : "elastomer"),
             fmt::format("Measured as direction {}: {}. The whole report of this direction is {}/report.html.",
                         one.of->label, join(one.of->measured, ", "), one.folder))
            .named(std::string("axis_") + axis_names[one.of->axes.front()]);
    for (const Section& part : one.outcome.document->sections)
      if (part.id == "map" || part.id == "static" || part.id == "transient")
        for (const Block& block : part.blocks) section.blocks.push_back(block);
  }
  d.section("Findings", "What the readers and the fits noticed, with the axis in front.")
      .add(Findings{.findings = out.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

}  // namespace kdyn::app
