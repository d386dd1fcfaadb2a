// SPDX-License-Identifier: Apache-2.0
// What a search found, as pictures: the objective over the runs, parameters between their bounds, what each does at the
// optimum.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/app/study/study_result.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::app {
namespace {

using namespace report;

// Runs that meet the constraints and those that do not, by what they are for; the best so far as a line.
Plot history(const StudyOptimum& o) {
  Plot plot{.title = "Objective over the runs", .x = {"Run", ""}, .y = {"Objective", ""}, .height_px = 300};
  const auto met = [&](std::size_t i) { return o.violations[i] <= study::met_within; };
  double best = std::numeric_limits<double>::infinity();
  Series line{.name = "best so far"};
  for (std::size_t i = 0; i < o.objectives.size(); ++i) {
    if (!std::isfinite(o.objectives[i]) || !met(i)) continue;
    if (o.stages[i] == "slope" || o.stages[i] == "noise") continue;
    best = std::min(best, o.objectives[i]);
    line.x.push_back(static_cast<double>(i)), line.y.push_back(best);
  }
  if (!line.x.empty()) {
    line.x.push_back(static_cast<double>(o.objectives.size() - 1)), line.y.push_back(best);
    plot.series.push_back(std::move(line));
  }
  const std::pair<const char*, std::vector<std::string>> kinds[] = {
      {"sample", {"start", "sample"}}, {"steps", {"step"}}, {"slopes", {"slope", "noise"}}};
  for (const auto& [name, stages] : kinds) {
    Series dots{.name = name, .style = SeriesStyle::markers};
    for (std::size_t i = 0; i < o.objectives.size(); ++i)
      if (std::isfinite(o.objectives[i]) && met(i) &&
          std::find(stages.begin(), stages.end(), o.stages[i]) != stages.end())
        dots.x.push_back(static_cast<double>(i)), dots.y.push_back(o.objectives[i]);
    if (!dots.x.empty()) plot.series.push_back(std::move(dots));
  }
  Series broken{.name = "constraints broken", .style = SeriesStyle::markers};
  for (std::size_t i = 0; i < o.objectives.size(); ++i)
    if (std::isfinite(o.objectives[i]) && !met(i))
      broken.x.push_back(static_cast<double>(i)), broken.y.push_back(o.objectives[i]);
  if (!broken.x.empty()) plot.series.push_back(std::move(broken));
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const double v : o.objectives)
    if (std::isfinite(v)) lowest = std::min(lowest, v), highest = std::max(highest, v);
  plot.y.log = lowest > 0.0 && highest > 100.0 * lowest;
  return plot;
}

// Each parameter over its range, where the steps led it.
Plot between_bounds(const StudyOptimum& o) {
  const double gap = study::not_known;
  Plot plot{.title = "Parameters between their bounds",
            .x = {"Parameter", ""},
            .y = {.label = "Place in the range", .unit = "%", .lower = -5.0, .upper = 105.0},
            .height_px = 300};
  Series range{.name = "range"}, best{.name = "optimum", .style = SeriesStyle::markers};
  for (std::size_t c = 0; c < o.parameters.size(); ++c) {
    const OptimumParameter& p = o.parameters[c];
    const double at = static_cast<double>(c + 1), w = 0.2;
    for (const auto& [x, y] : {std::pair{at - w, 0.0},
                               {at + w, 0.0},
                               {gap, gap},
                               {at, 0.0},
                               {at, 100.0},
                               {gap, gap},
                               {at - w, 100.0},
                               {at + w, 100.0},
                               {gap, gap}})
      range.x.push_back(x), range.y.push_back(y);
    best.x.push_back(at), best.y.push_back(100.0 * (p.value - p.lower) / (p.upper - p.lower));
    best.hover.push_back(fmt::format("{} = {:.6g} {}", p.name, p.value, p.unit));
    plot.caption += fmt::format("{}{}: {}", c > 0 ? ", " : "", c + 1, p.name);
  }
  plot.x.lower = 0.4, plot.x.upper = static_cast<double>(o.parameters.size()) + 0.6;
  plot.series = {std::move(range), std::move(best)};
  return plot;
}

std::string in_words(double value, const std::string& unit) {
  const DisplayUnit shown = display_unit(unit);
  return fmt::format("{:.6g} {}", value * shown.factor, shown.unit == "-" ? "" : shown.unit);
}

}  // namespace

void add_optimum(report::Document& d, const StudyOptimum& o) {
  if (!o.run) return;
  Section& section = d.section("Optimum", fmt::format("Run {}, objective {:.6g}: {}.", *o.run, o.objective, told(o)));
  section.add(PlotRow{.plots = {history(o), between_bounds(o)}, .columns = 2});
  Table parameters{.title = "Parameters",
                   .columns = {{.title = "Parameter"},
                               {.title = "Optimum", .align = Align::right},
                               {.title = "Lower bound", .align = Align::right},
                               {.title = "Upper bound", .align = Align::right},
                               {.title = "At a bound", .align = Align::left},
                               {.title = "Objective over the whole range", .digits = 3}}};
  for (const OptimumParameter& p : o.parameters)
    parameters.rows.push_back(
        {.cells = {p.name, in_words(p.value, p.unit), in_words(p.lower, p.unit), in_words(p.upper, p.unit), p.bound,
                   std::isfinite(p.slope) ? Value(p.slope * (p.upper - p.lower)) : Value()}});
  parameters.note = "Last column: slope of the objective at the optimum times the range of the parameter.";
  section.add(std::move(parameters));
  if (!o.constraints.empty()) {
    Table held{.title = "Constraints",
               .columns = {{.title = "What is held"},
                           {.title = "", .align = Align::left},
                           {.title = "Limit"},
                           {.title = "Value"},
                           {.title = "Left to the limit"},
                           {.title = "", .align = Align::left},
                           {.title = "Worth of one unit"}}};
    for (const OptimumConstraint& c : o.constraints)
      held.rows.push_back({.cells = {c.name, c.kind, c.limit, c.value, c.margin,
                                     !c.met     ? "broken"
                                     : c.active ? "holds the objective back"
                                                : "met",
                                     std::isfinite(c.price) ? Value(c.price) : Value()}});
    held.note = "In SI units. Last column: what the objective would gain if the limit gave way by one unit.";
    section.add(std::move(held));
  }
  Heatmap map{.title = "Response at the optimum: change over the whole range of a parameter, over its value, %",
              .decimals = 1};
  double largest = 0.0;
  for (const OptimumParameter& p : o.parameters) map.row_names.push_back(p.name);
  map.values.resize(o.parameters.size());
  for (const OptimumResponse& r : o.responses) {
    if (r.slopes.empty() || r.value == 0.0) continue;
    map.column_names.push_back(r.name);
    for (std::size_t c = 0; c < r.slopes.size(); ++c) {
      const double percent =
          100.0 * r.slopes[c].slope * (o.parameters[c].upper - o.parameters[c].lower) / std::abs(r.value);
      map.values[c].push_back(percent);
      largest = std::max(largest, std::abs(percent));
    }
  }
  map.upper = std::clamp(10.0 * std::ceil(0.1 * largest), 1.0, 1e4), map.lower = -map.upper;
  if (!map.column_names.empty()) section.add(std::move(map));
  Table searches{.columns = {{.title = "Search"},
                             {.title = "From run"},
                             {.title = "To run"},
                             {.title = "Steps"},
                             {.title = "Objective"},
                             {.title = "Ended as", .align = Align::left}}};
  for (std::size_t i = 0; i < o.searches.size(); ++i) {
    const OptimumSearch& s = o.searches[i];
    searches.rows.push_back({.cells = {i + 1, s.from_run, s.to_run, s.steps, s.objective, s.status}});
  }
  if (std::isfinite(o.difference))
    searches.note = fmt::format("Slopes by differences of {:.2g} of the range of each parameter.", o.difference);
  section.add(Details{"Searches", {Block{std::move(searches)}}});
}

}  // namespace kdyn::app
