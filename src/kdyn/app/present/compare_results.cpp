// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/display.hpp"
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
  Json result;
};

Loaded load(const std::string& given, Json& inputs) {
  std::error_code ec;
  Loaded one;
  one.path = fs::is_directory(given, ec) ? (fs::path(given) / "result.json").string() : given;
  const std::string content = read_text(one.path);
  one.result = parse_json(content, one.path);
  if (!one.result.is_object() || !one.result.contains("parameters") || !one.result["parameters"].is_object())
    throw_bad_input(one.path, "this is no result of a fit: the key \"parameters\" is missing",
                    "give the result.json that a fit wrote");
  inputs.push_back({{"path", one.path}, {"sha256", sha256(content)}});
  const fs::path p(one.path);
  one.name = p.filename() == "result.json" && p.has_parent_path()
                 ? fs::absolute(p, ec).parent_path().filename().string()
                 : p.stem().string();
  return one;
}

double at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>()
                                                                               : std::nan("");
}

// Differences of two values in units of their joint standard deviation.
double distance(const Json& a, const Json& b) {
  const double sa = at(a, "std"), sb = at(b, "std"),
               sd = std::hypot(std::isfinite(sa) ? sa : 0.0, std::isfinite(sb) ? sb : 0.0);
  return sd > 0.0 ? (at(b, "value") - at(a, "value")) / sd : std::nan("");
}

AxisKind axis_of(const Loaded& one) {
  return one.result.contains("axis") && one.result["axis"] == "rotation" ? AxisKind::rotation : AxisKind::translation;
}

report::Plot map_plot(const std::vector<Loaded>& all, const char* key, const char* title, const std::string& unit,
                      double factor) {
  const AxisKeys keys = axis_keys(axis_of(all.front()));
  report::Plot plot{.title = title, .x = {"Frequency", "Hz"}, .y = {title, unit}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].result.contains("map") || !all[i].result["map"].is_array() || all[i].result["map"].empty()) continue;
    // Smallest and largest amplitude of each result: enough to see where two parts differ.
    double low = 1e300, high = 0.0;
    for (const Json& row : all[i].result["map"]) {
      low = std::min(low, at(row, keys.amplitude));
      high = std::max(high, at(row, keys.amplitude));
    }
    for (const double level : {low, high}) {
      report::Series s{.name = level == low ? "smallest amplitude" : "largest amplitude",
                       .style = level == low ? report::SeriesStyle::line : report::SeriesStyle::dashed_line,
                       .group = static_cast<int>(plot.groups.size())};
      std::map<double, double> points;
      const double first_preload = at(all[i].result["map"].front(), keys.preload);
      for (const Json& row : all[i].result["map"])
        if (std::abs(at(row, keys.amplitude) / level - 1.0) < 0.1 && at(row, keys.preload) == first_preload)
          points[at(row, "frequency_hz")] = factor * at(row, key);
      for (const auto& [f, y] : points) {
        s.x.push_back(f);
        s.y.push_back(y);
      }
      plot.series.push_back(std::move(s));
      if (low == high) break;
    }
    plot.groups.push_back(all[i].name);
  }
  plot.group_label = "Result";
  return plot;
}

}  // namespace

Outcome compare_results(const CompareResultsJob& job, Progress&) {
  if (job.results.size() < 2)
    throw_bad_input("results", "a comparison needs two results", "kdyn report DIR_A DIR_B --out DIR");
  Outcome outcome;
  std::vector<Loaded> all;
  for (const std::string& path : job.results) all.push_back(load(path, outcome.inputs));
  for (const Loaded& one : all)
    if (axis_of(one) != axis_of(all.front()))
      throw_bad_input(one.path,
                      fmt::format("this result is of a {}, {} of a {}", axis_word(axis_of(one)), all.front().path,
                                  axis_word(axis_of(all.front()))),
                      "compare results of the same kind of axis");
  std::vector<std::string> names;
  for (const Loaded& one : all)
    for (const auto& [name, p] : one.result["parameters"].items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);

  report::Table table;
  table.columns = {{"Parameter"}, {"Unit"}};
  for (const Loaded& one : all) table.columns.push_back({one.name, "", report::Align::right});
  if (all.size() == 2)
    table.columns.insert(table.columns.end(), {{"Change", "%"}, {"Standard deviations", "", report::Align::right}});
  Json rows = Json::array();
  for (const std::string& name : names) {
    Json entry = {{"name", name}};
    report::Row row;
    std::string unit;
    for (const Loaded& one : all)
      if (const Json p = one.result["parameters"].value(name, Json());
          p.is_object() && p.value("unit", Json()).is_string())
        unit = p["unit"].get<std::string>();
    const DisplayUnit shown = display_unit(unit);
    row.cells = {name, shown.unit};
    for (const Loaded& one : all) {
      const Json p = one.result["parameters"].value(name, Json());
      entry["values"].push_back(at(p, "value"));
      const double value = at(p, "value"), sd = at(p, "std");
      row.cells.emplace_back(
          std::isnan(value) ? ""
          : std::isfinite(sd) && sd > 0.0
              ? fmt::format("{} ± {}", format_number(value * shown.factor), format_number(sd * shown.factor, 2))
              : format_number(value * shown.factor));
    }
    if (all.size() == 2) {
      const Json a = all[0].result["parameters"].value(name, Json()),
                 b = all[1].result["parameters"].value(name, Json());
      const double change = at(b, "value") / at(a, "value") - 1.0, apart = distance(a, b);
      entry["change_rel"] = change;
      entry["standard_deviations"] = apart;
      row.cells.emplace_back(100.0 * change);
      row.cells.emplace_back(std::isnan(apart) ? "" : fmt::format("{:+.1f}", apart));
      if (std::abs(apart) > 3.0) row.quality = report::Quality::fair;
    }
    rows.push_back(std::move(entry));
    table.rows.push_back(std::move(row));
  }
  table.note = "Tinted rows differ by more than three standard deviations.";
  outcome.result["status"] = "done";
  outcome.result["results"] = Json::array();
  for (const Loaded& one : all)
    outcome.result["results"].push_back(
        {{"name", one.name}, {"path", one.path}, {"status", one.result.value("status", Json())}});
  outcome.result["comparison"] = std::move(rows);

  report::Document d{.title = "Comparison", .subtitle = fmt::format("{} results", all.size())};
  for (const Loaded& one : all)
    d.key_figures.push_back({.label = one.name,
                             .value = 100.0 * at(one.result.value("fit", Json::object()), "rms_kdyn_rel"),
                             .unit = "%",
                             .note = "stiffness misfit",
                             .digits = 3});
  d.section("Parameters").add(std::move(table));
  const DisplayUnit stiffness = axis_display(axis_of(all.front())).stiffness;
  d.section("Measured maps", "Smallest and largest amplitude at the first preload.")
      .add(report::PlotRow{{map_plot(all, "k_dyn", "Dynamic stiffness", stiffness.unit, stiffness.factor),
                            map_plot(all, "loss_angle_deg", "Loss angle", "deg", 1.0)},
                           0,
                           true});
  outcome.document = std::move(d);
  outcome.text = fmt::format("compared {} results, {} parameters\n", all.size(), names.size());
  return outcome;
}

}  // namespace kdyn::app
