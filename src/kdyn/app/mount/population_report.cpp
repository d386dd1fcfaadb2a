// SPDX-License-Identifier: Apache-2.0
// The picture of a batch: how alike its parts are, which stand apart, and a row for each of them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/population.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {
namespace {

using namespace report;

Table spread_table(const Family& family) {
  Table table;
  table.columns = {{"Parameter"},
                   {"Unit"},
                   {"Mean", "", Align::right},
                   {"Std. deviation", "%", Align::right, 3},
                   {"Of it noise", "%", Align::right, 3},
                   {"5 %", "", Align::right},
                   {"95 %", "", Align::right},
                   {"Trend", "%", Align::right, 2},
                   {"Cp", "", Align::right, 3},
                   {"Cpk", "", Align::right, 3},
                   {"Outside", "", Align::right}};
  for (const ParameterPopulation& p : family.parameters) {
    const DisplayUnit unit = display_unit(p.unit);
    const SampleStatistics& s = p.statistics;
    Row row;
    row.cells = {p.name,
                 unit.unit,
                 s.mean * unit.factor,
                 100.0 * s.std / std::abs(s.mean),
                 100.0 * p.noise_std / std::abs(s.mean),
                 s.lower_5 * unit.factor,
                 s.upper_95 * unit.factor,
                 std::abs(s.trend) > 2.0 * s.trend_std ? Value(100.0 * s.trend / std::abs(s.mean)) : Value()};
    if (p.capability) {
      row.cells.insert(row.cells.end(), {p.capability->cp, p.capability->cpk, p.capability->outside});
      row.quality = p.capability->cpk >= 1.33  ? Quality::good
                    : p.capability->cpk >= 1.0 ? Quality::fair
                                               : Quality::poor;
    } else {
      row.cells.resize(table.columns.size());
    }
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "Over parts whose fit converged. Trend: change from the first part to the last in the order of their {}, where "
      "it "
      "exceeds two standard deviations. Cp, Cpk and Outside: against the tolerance band where one is given; Cpk of "
      "1.33 "
      "and more is good.",
      family.days.empty() ? "names" : "dates");
  return table;
}

Plot histogram(const ParameterPopulation& p) {
  const DisplayUnit unit = display_unit(p.unit);
  Plot plot{.title = p.name, .x = {p.name, unit.unit}, .y = {"Parts", ""}, .height_px = 220};
  Series steps{.name = "parts"};
  const SampleStatistics& s = p.statistics;
  for (std::size_t i = 0; i < s.counts.size(); ++i)
    for (const double edge : {s.edges[i], s.edges[i + 1]}) {
      if (steps.x.empty()) steps.x.push_back(edge * unit.factor), steps.y.push_back(0.0);
      steps.x.push_back(edge * unit.factor), steps.y.push_back(static_cast<double>(s.counts[i]));
    }
  if (!steps.x.empty()) steps.x.push_back(s.edges.back() * unit.factor), steps.y.push_back(0.0);
  plot.series.push_back(std::move(steps));
  if (p.capability) {
    const double top = static_cast<double>(*std::max_element(s.counts.begin(), s.counts.end()));
    for (const double limit : {p.capability->lower, p.capability->upper})
      plot.series.push_back({.name = "tolerance",
                             .style = SeriesStyle::dashed_line,
                             .x = {limit * unit.factor, limit * unit.factor},
                             .y = {0.0, top},
                             .group = 1});
  }
  return plot;
}

Plot over_parts(const Population& population, const Family& family, const ParameterPopulation& p) {
  const DisplayUnit unit = display_unit(p.unit);
  const bool dated = !family.days.empty();
  Plot plot{.title = p.name + (dated ? " over time" : " over parts"),
            .x = {dated ? "Time since the first part" : "Part", dated ? "d" : ""},
            .y = {p.name, unit.unit},
            .height_px = 220};
  Series series{.name = "parts", .style = SeriesStyle::markers};
  for (std::size_t k = 0; k < family.members.size(); ++k)
    for (const ParameterEstimate& one : population.parts[family.members[k]].parameters)
      if (one.name == p.name && std::isfinite(one.value)) {
        const PartSummary& part = population.parts[family.members[k]];
        series.x.push_back(dated ? family.days[k] - family.days.front() : static_cast<double>(k + 1));
        series.y.push_back(one.value * unit.factor);
        series.hover.push_back(part.group.name + (part.date.empty() ? "" : ", " + part.date) +
                               (part.batch.empty() ? "" : ", batch " + part.batch));
      }
  plot.series.push_back(std::move(series));
  return plot;
}

// Means of the batches, a row for each parameter that has them.
std::optional<Table> batch_table(const Family& family) {
  constexpr std::size_t most = 12;
  Table table;
  table.title = "Batches";
  table.columns = {{"Parameter"}, {"Unit"}, {"Difference", "std. dev.", Align::right, 2}};
  bool cut = false;
  for (const ParameterPopulation& p : family.parameters) {
    if (p.batches.empty()) continue;
    if (table.columns.size() == 3)
      for (std::size_t k = 0; k < std::min(most, p.batches.size()); ++k)
        table.columns.push_back({fmt::format("{} ({})", p.batches[k].batch, p.batches[k].count), "", Align::right});
    cut = cut || p.batches.size() > most;
    const DisplayUnit unit = display_unit(p.unit);
    Row row;
    row.cells = {p.name, unit.unit, p.batch_difference};
    for (std::size_t k = 0; k + 3 < table.columns.size(); ++k)
      row.cells.push_back(k < p.batches.size() ? Value(p.batches[k].mean * unit.factor) : Value());
    row.quality = p.batch_difference > 4.0 ? Quality::fair : Quality::neutral;
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return std::nullopt;
  table.note = fmt::format(
      "Means of the batches that the files name, with their number of parts. Difference: of the means against the "
      "spread "
      "within batches; beyond 4 they are not of one population.{}",
      cut ? fmt::format(" The first {} batches; result.json has all of them.", most) : "");
  return table;
}

// The rows of the parts: at most so many, the worst first, when there are many.
Table part_table(const Population& population) {
  constexpr std::size_t most = 400;
  std::vector<std::string> names;
  for (const PartSummary& part : population.parts)
    for (const ParameterEstimate& p : part.parameters)
      if (p.status != ParameterStatus::fixed && std::find(names.begin(), names.end(), p.name) == names.end())
        names.push_back(p.name);
  Table table;
  table.columns = {
      {"Part"}, {"Status"}, {"Stiffness misfit", "%"}, {"Loss angle misfit", "deg"}, {"Distance", "", Align::right, 3}};
  const auto states = [&](std::string PartSummary::*what) {
    return std::any_of(population.parts.begin(), population.parts.end(),
                       [&](const PartSummary& part) { return !(part.*what).empty(); });
  };
  const bool dated = states(&PartSummary::date), batched = states(&PartSummary::batch);
  if (dated) table.columns.push_back({"Date"});
  if (batched) table.columns.push_back({"Batch"});
  std::vector<std::string> units(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (const PartSummary& part : population.parts)
      for (const ParameterEstimate& p : part.parameters)
        if (p.name == names[k]) units[k] = p.unit;
    table.columns.push_back({names[k], display_unit(units[k]).unit});
  }
  std::vector<std::size_t> order(population.parts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) {
    const PartSummary& part = population.parts[i];
    return !part.error.empty() ? 3 : !part.complete ? 2 : population.outliers[i].empty() ? 0 : 1;
  };
  if (order.size() > most) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const double da = population.distance[a], db = population.distance[b];
      return rank(a) != rank(b) ? rank(a) > rank(b) : (std::isnan(da) ? 0.0 : da) > (std::isnan(db) ? 0.0 : db);
    });
    order.resize(most);
    table.note = fmt::format("The {} of {} parts that stand apart most; result.json has all of them.", most,
                             population.parts.size());
  }
  for (const std::size_t i : order) {
    const PartSummary& part = population.parts[i];
    Row row;
    row.quality = !part.error.empty()                                 ? Quality::poor
                  : !part.complete || !population.outliers[i].empty() ? Quality::fair
                                                                      : Quality::neutral;
    row.cells = {part.group.name, part.error.empty() ? part.status : "failed"};
    if (part.error.empty()) {
      row.cells.insert(row.cells.end(),
                       {Value(100.0 * part.rms_kdyn_rel), Value(part.rms_loss_deg), Value(population.distance[i])});
      row.link = "parts/" + part.group.name + "/report.html";
      if (dated) row.cells.emplace_back(part.date);
      if (batched) row.cells.emplace_back(part.batch);
      for (const std::string& name : names) {
        const auto p = std::find_if(part.parameters.begin(), part.parameters.end(),
                                    [&](const ParameterEstimate& one) { return one.name == name; });
        if (p == part.parameters.end()) {
          row.cells.emplace_back();
          continue;
        }
        const double shown = p->value * display_unit(p->unit).factor;
        const auto& odd = population.outliers[i];
        row.cells.emplace_back(std::find(odd.begin(), odd.end(), name) != odd.end()
                                   ? Value(format_number(shown) + " (outlier)")
                                   : Value(shown));
      }
    } else {
      row.cells.resize(table.columns.size());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Document population_report(const std::string& title, const Population& population, const std::vector<Finding>& findings,
                           bool stopped) {
  std::size_t failed = 0, apart = 0, outside = 0;
  for (std::size_t i = 0; i < population.parts.size(); ++i) {
    failed += !population.parts[i].error.empty() || !population.parts[i].complete;
    apart += !population.outliers[i].empty();
  }
  for (const Finding& f : population.findings) {
    apart += f.code == "part_apart";
    outside += f.code == "out_of_tolerance";
  }
  Document d{.title = title, .subtitle = fmt::format("{} parts and directions", population.parts.size())};
  d.key_figures.push_back({.label = "Parts", .value = population.parts.size()});
  d.key_figures.push_back({.label = stopped ? "Failed or not begun" : "Failed",
                           .value = failed,
                           .quality = failed == 0 ? Quality::good : Quality::poor});
  d.key_figures.push_back({.label = "Outliers", .value = apart, .quality = apart == 0 ? Quality::good : Quality::fair});
  if (outside > 0) d.key_figures.push_back({.label = "Out of tolerance", .value = outside, .quality = Quality::poor});
  for (const Family& family : population.families) {
    if (family.members.size() < 2) continue;
    auto& section =
        d.section(family.name.empty() ? "Spread over parts" : "Spread over parts, direction " + family.name,
                  fmt::format("{} parts. The spread holds what the parts differ by and the noise of their measurement.",
                              family.members.size()))
            .named(family.name.empty() ? "spread" : "spread_" + family.name);
    section.add(spread_table(family));
    if (std::optional<Table> batches = batch_table(family)) section.add(std::move(*batches));
    // Pictures of what was judged, else of the first few that were free.
    std::vector<const ParameterPopulation*> shown;
    for (const ParameterPopulation& p : family.parameters)
      if (p.capability) shown.push_back(&p);
    for (const ParameterPopulation& p : family.parameters)
      if (shown.size() < 3 && !p.capability && p.statistics.std > 0.0) shown.push_back(&p);
    for (const ParameterPopulation* p : shown)
      section.add(PlotRow{.plots = {histogram(*p), over_parts(population, family, *p)}});
  }
  d.section("Parts", "One row per part and direction, in the units of the header; its name leads to its own report.")
      .named("parts")
      .add(part_table(population));
  std::vector<Finding> told(
      findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(findings.size(), 200)));
  auto& last = d.section("Findings").add(Findings{.findings = std::move(told), .when_empty = "No part stands out."});
  if (findings.size() > 200) last.add(Text{fmt::format("{} more stand in result.json.", findings.size() - 200)});
  return d;
}

}  // namespace kdyn::app
