// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/fit_summary.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const CompareResultsJob*) {
  static const FieldTable table = FieldTable::of<app::CompareResultsJob>("report", [](FieldTable& t) {
    t.add(&app::CompareResultsJob::results, "results", "-",
          "Two or more result.json files, or the folders that hold them")
        .from_words()
        .must_be_given()
        .reads();
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

namespace fs = std::filesystem;

struct Loaded {
  std::string name, path;
  FitSummary fit;
};
const FieldTable& fields_of(const Loaded*) {
  using L = Loaded;
  static const FieldTable table = FieldTable::results<L>("compared result", [](FieldTable& t) {
    t.add(&L::name, "name", "-", "Name of its folder or file");
    t.add(&L::path, "path", "-", "File that was read");
    t.add([](const L& l) { return l.fit.status; }, "status", "-", "Status of the fit");
  });
  return table;
}

// One parameter of all results.
struct ComparedParameter {
  std::string name;
  std::vector<double> values{};                           // NaN where a result has none
  std::optional<double> change{}, standard_deviations{};  // of two results
};
const FieldTable& fields_of(const ComparedParameter*) {
  using P = ComparedParameter;
  static const FieldTable table = FieldTable::results<P>("compared parameter", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Parameter");
    t.add(&P::values, "values", "SI", "In the order of the results; null where one has none");
    t.add(&P::change, "change_rel", "-", "Second over first, minus 1; null when it is not known");
    t.add(&P::standard_deviations, "standard_deviations", "-", "Difference over the joint standard deviation");
  });
  return table;
}

Loaded load(const std::string& given, std::vector<Source>& inputs) {
  std::error_code ec;
  Loaded one;
  one.path = fs::is_directory(given, ec) ? (fs::path(given) / "result.json").string() : given;
  const std::string content = read_text(one.path);
  const Json result = parse_json(content, one.path);
  if (result.is_object()) one.fit = fit_summary(result, one.path);
  if (!one.fit.parameters)
    throw_bad_input(one.path, "this is no result of a fit: the key \"parameters\" is missing",
                    "give the result.json that a fit wrote");
  inputs.push_back({one.path, sha256(content), {}});
  const fs::path p(one.path);
  one.name = p.filename() == "result.json" && p.has_parent_path()
                 ? fs::absolute(p, ec).parent_path().filename().string()
                 : p.stem().string();
  return one;
}

double value_of(const ParameterEstimate* p) { return p == nullptr ? std::nan("") : p->value; }

// Differences of two values in units of their joint standard deviation.
double distance(const ParameterEstimate* a, const ParameterEstimate* b) {
  const auto known = [](const ParameterEstimate* p) { return p != nullptr && std::isfinite(p->std) ? p->std : 0.0; };
  const double sd = std::hypot(known(a), known(b));
  return sd > 0.0 ? (value_of(b) - value_of(a)) / sd : std::nan("");
}

report::Plot map_plot(const std::vector<Loaded>& all, double SummaryRow::*shown, const char* title,
                      const std::string& unit, double factor) {
  report::Plot plot{.title = title, .x = {"Frequency", "Hz"}, .y = {title, unit}};
  for (const Loaded& one : all) {
    const std::vector<SummaryRow>& map = one.fit.map;
    if (map.empty()) continue;
    // Smallest and largest amplitude of each result: enough to see where two parts differ.
    double low = 1e300, high = 0.0;
    for (const SummaryRow& row : map) {
      low = std::min(low, row.amplitude);
      high = std::max(high, row.amplitude);
    }
    for (const double level : {low, high}) {
      report::Series s{.name = level == low ? "smallest amplitude" : "largest amplitude",
                       .style = level == low ? report::SeriesStyle::line : report::SeriesStyle::dashed_line,
                       .group = static_cast<int>(plot.groups.size())};
      std::map<double, double> points;
      for (const SummaryRow& row : map)
        if (std::abs(row.amplitude / level - 1.0) < 0.1 && row.preload == map.front().preload)
          points[row.frequency_hz] = factor * row.*shown;
      for (const auto& [f, y] : points) {
        s.x.push_back(f);
        s.y.push_back(y);
      }
      plot.series.push_back(std::move(s));
      if (low == high) break;
    }
    plot.groups.push_back(one.name);
  }
  plot.group_label = "Result";
  return plot;
}

report::Row row_of(const ComparedParameter& parameter, const std::vector<Loaded>& all) {
  std::string unit;
  for (const Loaded& one : all)
    if (const ParameterEstimate* p = one.fit.find(parameter.name)) unit = p->unit;
  const DisplayUnit shown = display_unit(unit);
  report::Row row;
  row.cells = {parameter.name, shown.unit};
  for (const Loaded& one : all) {
    const ParameterEstimate* p = one.fit.find(parameter.name);
    row.cells.emplace_back(
        std::isnan(value_of(p)) ? ""
        : std::isfinite(p->std) && p->std > 0.0
            ? fmt::format("{} ± {}", format_number(p->value * shown.factor), format_number(p->std * shown.factor, 2))
            : format_number(p->value * shown.factor));
  }
  if (all.size() != 2) return row;
  const double apart = *parameter.standard_deviations;
  row.cells.emplace_back(100.0 * *parameter.change);
  row.cells.emplace_back(std::isnan(apart) ? "" : fmt::format("{:+.1f}", apart));
  if (std::abs(apart) > 3.0) row.quality = report::Quality::fair;
  return row;
}

}  // namespace

struct CompareResultsOutput {
  const std::vector<Loaded>& results;
  const std::vector<ComparedParameter>& comparison;
};

const FieldTable& fields_of(const CompareResultsOutput*) {
  using O = CompareResultsOutput;
  static const FieldTable table = FieldTable::results<O>("report result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add([](const O& o) { return o.results; }, "results", "-", "What was compared");
    t.add([](const O& o) { return o.comparison; }, "comparison", "-", "Parameters beside each other");
  });
  return table;
}

Outcome compare_results(const CompareResultsJob& job, Progress&) {
  if (job.results.size() < 2)
    throw_bad_input("results", "a comparison needs two results", "kdyn report DIR_A DIR_B --out DIR");
  Outcome outcome;
  std::vector<Loaded> all;
  for (const std::string& path : job.results) all.push_back(load(path, outcome.inputs));
  std::vector<FitSummary> fits;
  for (const Loaded& one : all) {
    if (one.fit.axis != all.front().fit.axis)
      throw_bad_input(one.path,
                      fmt::format("this result is of a {}, {} of a {}", axis_word(one.fit.axis), all.front().path,
                                  axis_word(all.front().fit.axis)),
                      "compare results of the same kind of axis");
    fits.push_back(one.fit);
  }
  report::Table table;
  table.columns = {{"Parameter"}, {"Unit"}};
  for (const Loaded& one : all) table.columns.push_back({one.name, "", report::Align::right});
  if (all.size() == 2)
    table.columns.insert(table.columns.end(), {{"Change", "%"}, {"Standard deviations", "", report::Align::right}});
  std::vector<ComparedParameter> comparison;
  for (const std::string& name : parameter_names(fits)) {
    ComparedParameter& one = comparison.emplace_back(ComparedParameter{name});
    for (const FitSummary& fit : fits) one.values.push_back(value_of(fit.find(name)));
    if (all.size() == 2) {
      one.change = one.values[1] / one.values[0] - 1.0;
      one.standard_deviations = distance(fits[0].find(name), fits[1].find(name));
    }
    table.rows.push_back(row_of(one, all));
  }
  table.note = "Tinted rows differ by more than three standard deviations.";
  to_json_fields(CompareResultsOutput{all, comparison}, outcome.result);

  report::Document d{.title = "Comparison", .subtitle = fmt::format("{} results", all.size())};
  for (const Loaded& one : all)
    d.key_figures.push_back({.label = one.name,
                             .value = 100.0 * one.fit.misfit().rms_k_dyn_rel,
                             .unit = "%",
                             .note = "stiffness misfit",
                             .digits = 3});
  d.section("Parameters").add(std::move(table));
  const DisplayUnit stiffness = axis_display(all.front().fit.axis).stiffness;
  d.section("Measured maps", "Smallest and largest amplitude at the first preload.")
      .add(report::PlotRow{{map_plot(all, &SummaryRow::k_dyn, "Dynamic stiffness", stiffness.unit, stiffness.factor),
                            map_plot(all, &SummaryRow::loss_angle_deg, "Loss angle", "deg", 1.0)},
                           0,
                           true});
  outcome.document = std::move(d);
  outcome.text = fmt::format("compared {} results, {} parameters\n", all.size(), comparison.size());
  return outcome;
}

}  // namespace kdyn::app
