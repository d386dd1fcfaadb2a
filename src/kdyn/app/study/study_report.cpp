// SPDX-License-Identifier: Apache-2.0
// The report of a study: spread and levels first, then what acts on what, then single runs.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "kdyn/app/study/study_result.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::app {
namespace {

using namespace report;

constexpr std::size_t most_plots = 12;

std::string unit_of(const std::string& unit) { return unit == "-" ? "" : unit; }

// A box from quartile to quartile with the median, whiskers from 5 to 95 %, as one line.
Series box_of(const std::string& name, double at, const study::Spread& s) {
  const double w = 0.3;
  const double gap = study::not_known;
  Series out{.name = name,
             .x = {at - w, at + w, at + w, at - w,       at - w,       gap, at - w,       at + w,      gap, at, at, gap,
                   at,     at,     gap,    at - 0.5 * w, at + 0.5 * w, gap, at - 0.5 * w, at + 0.5 * w},
             .y = {s.lower_25, s.lower_25, s.upper_75, s.upper_75, s.lower_25, gap,        s.median,
                   s.median,   gap,        s.lower_25, s.lower_5,  gap,        s.upper_75, s.upper_95,
                   gap,        s.lower_5,  s.lower_5,  gap,        s.upper_95, s.upper_95}};
  return out;
}

void in_rows(Section& section, std::vector<Plot> plots, int columns, const std::string& more) {
  columns = std::clamp(static_cast<int>(plots.size()), 1, columns);
  std::vector<Block> rest;
  for (std::size_t i = 0; i < plots.size(); i += static_cast<std::size_t>(columns)) {
    PlotRow row{.columns = columns};
    for (std::size_t k = i; k < std::min(plots.size(), i + static_cast<std::size_t>(columns)); ++k)
      row.plots.push_back(std::move(plots[k]));
    if (i < most_plots)
      section.add(std::move(row));
    else
      rest.push_back(Block{std::move(row)});
  }
  if (!rest.empty()) section.add(Details{more, std::move(rest)});
}

void add_spread(Document& d, const StudyPlan& plan, const StudyResult& result) {
  Section& section = d.section(
      "Responses", result.optimum ? "Over the runs of the sample that succeeded." : "Over all runs that succeeded.");
  Table table{.columns = {{.title = "Response"},
                          {.title = "Unit", .align = Align::left},
                          {.title = "Runs"},
                          {.title = "Mean"},
                          {.title = "Standard deviation"},
                          {.title = "5 %"},
                          {.title = "Median"},
                          {.title = "95 %"}}};
  const bool effects =
      std::any_of(result.responses.begin(), result.responses.end(), [](const auto& r) { return !r.effects.empty(); });
  if (effects) table.columns.push_back({.title = "Strongest parameter", .align = Align::left});
  for (const StudyResponseResult& r : result.responses) {
    const StudyEffect* strongest = nullptr;
    for (const StudyEffect& e : r.effects)
      if (e.effect.determined && (strongest == nullptr || e.effect.share > strongest->effect.share)) strongest = &e;
    table.rows.push_back({.cells = {r.name, r.unit, r.spread.count, r.spread.mean, r.spread.std, r.spread.lower_5,
                                    r.spread.median, r.spread.upper_95}});
    if (effects)
      table.rows.back().cells.push_back(strongest == nullptr ? Value()
                                                             : Value(fmt::format("{} ({:.0f} %)", strongest->parameter,
                                                                                 100.0 * strongest->effect.share)));
  }
  if (effects)
    table.note = "In brackets: its share of the variance, as far as the response is a straight line in the parameter.";
  section.add(std::move(table));
  // How each response lies, where it has no levels to be shown by.
  const bool levels =
      std::any_of(result.responses.begin(), result.responses.end(), [](const auto& r) { return !r.levels.empty(); });
  if (levels || plan.runs() < 8) return;
  std::vector<Plot> plots;
  for (const StudyResponseResult& r : result.responses) {
    std::vector<double> sorted;
    for (const double v : r.values)
      if (std::isfinite(v)) sorted.push_back(v);
    std::sort(sorted.begin(), sorted.end());
    if (sorted.size() < 2) continue;
    Plot plot{.title = r.name,
              .x = {r.name, unit_of(r.unit)},
              .y = {.label = "Share of runs below", .unit = "%", .lower = 0.0, .upper = 100.0},
              .height_px = 240};
    Series line{.name = "runs"};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      line.x.push_back(sorted[i]);
      line.y.push_back(100.0 * (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size()));
    }
    plot.series.push_back(std::move(line));
    plots.push_back(std::move(plot));
  }
  in_rows(section, std::move(plots), 3, "More responses");
}

void add_levels(Document& d, const StudyResult& result) {
  if (result.responses.empty()) return;
  for (std::size_t l = 0; l < result.responses.front().levels.size(); ++l) {
    const StudyLevels& first = result.responses.front().levels[l];
    Section& section = d.section("Levels of " + first.parameter,
                                 "Boxes hold the middle half of the runs, whiskers reach from 5 to 95 %.");
    Heatmap map{.title = fmt::format("Change against {}, %", first.levels.front().name),
                .lower = -50.0,
                .upper = 50.0,
                .decimals = 1};
    Table table{.title = "Mean of each level, and difference from the first run by run",
                .columns = {{.title = "Response"},
                            {.title = "Unit", .align = Align::left},
                            {.title = "Level", .align = Align::left},
                            {.title = "Runs"},
                            {.title = "Mean"},
                            {.title = "Difference"},
                            {.title = "95 % interval", .align = Align::left},
                            {.title = "Difference", .unit = "%"}}};
    for (std::size_t k = 1; k < first.levels.size(); ++k) map.column_names.push_back(first.levels[k].name);
    std::vector<Plot> plots;
    double largest = 0.0;
    for (const StudyResponseResult& r : result.responses) {
      const StudyLevels& levels = r.levels[l];
      const double reference = levels.levels.front().spread.mean;
      std::vector<double> row;
      Plot plot{.title = r.name, .x = {first.parameter, ""}, .y = {r.name, unit_of(r.unit)}, .height_px = 240};
      plot.x.lower = 0.4, plot.x.upper = static_cast<double>(levels.levels.size()) + 0.6;
      for (std::size_t k = 0; k < levels.levels.size(); ++k) {
        const StudyLevel& level = levels.levels[k];
        const study::PairedDifference& change = level.against_first;
        const double percent = reference != 0.0 ? 100.0 * change.mean / std::abs(reference) : study::not_known;
        if (k > 0) {
          row.push_back(percent);
          if (std::isfinite(percent)) largest = std::max(largest, std::abs(percent));
        }
        table.rows.push_back({.cells = {k == 0 ? Value(r.name) : Value(), k == 0 ? Value(r.unit) : Value(), level.name,
                                        level.spread.count, level.spread.mean, k == 0 ? Value() : Value(change.mean),
                                        k == 0 || !std::isfinite(change.lower_95)
                                            ? Value()
                                            : Value(fmt::format("{:.4g} to {:.4g}", change.lower_95, change.upper_95)),
                                        k == 0 ? Value() : Value(percent)}});
        if (level.spread.count > 0) plot.series.push_back(box_of(level.name, static_cast<double>(k + 1), level.spread));
      }
      map.row_names.push_back(r.name);
      map.values.push_back(std::move(row));
      plots.push_back(std::move(plot));
    }
    map.upper = std::clamp(10.0 * std::ceil(0.1 * largest), 1.0, 100.0), map.lower = -map.upper;
    if (first.levels.size() > 1) section.add(std::move(map));
    in_rows(section, std::move(plots), 3, "More responses");
    section.add(Details{"All numbers", {Block{std::move(table)}}});
  }
}

// Where levels of one parameter differ depends on the level of another: change against the first level, for each.
void add_levels_by_levels(Document& d, const StudyPlan& plan, const StudyResult& result) {
  std::vector<std::size_t> with_levels;
  for (std::size_t c = 0; c < plan.columns().size(); ++c)
    if (plan.columns()[c].has_levels() && plan.columns()[c].levels.size() > 1) with_levels.push_back(c);
  if (with_levels.size() < 2) return;
  const std::size_t what = with_levels.back(), where = with_levels[with_levels.size() - 2];
  const StudyColumn &levels = plan.columns()[what], &places = plan.columns()[where];
  if ((levels.levels.size() - 1) * places.levels.size() > 24) return;
  const auto pairs = plan.runs_by_level(what);
  Heatmap map{.title = fmt::format("Change against {}, %", levels.levels.front().name), .decimals = 0};
  for (const auto& place : places.levels)
    for (std::size_t k = 1; k < levels.levels.size(); ++k)
      map.column_names.push_back(fmt::format("{}: {}", place.name, levels.levels[k].name));
  double largest = 0.0;
  for (const StudyResponseResult& r : result.responses) {
    std::vector<double> row;
    for (std::size_t p = 0; p < places.levels.size(); ++p)
      for (std::size_t k = 1; k < levels.levels.size(); ++k) {
        double first = 0.0, change = 0.0;
        for (std::size_t i = 0; i < pairs[0].size(); ++i) {
          const double a = r.values[pairs[0][i]], b = r.values[pairs[k][i]];
          if (plan.entry(pairs[0][i], where) != static_cast<double>(p) || !std::isfinite(a) || !std::isfinite(b))
            continue;
          first += a, change += b - a;
        }
        row.push_back(first != 0.0 ? 100.0 * change / std::abs(first) : study::not_known);
        if (std::isfinite(row.back())) largest = std::max(largest, std::abs(row.back()));
      }
    map.row_names.push_back(r.name);
    map.values.push_back(std::move(row));
  }
  map.upper = std::clamp(10.0 * std::ceil(0.1 * largest), 1.0, 100.0), map.lower = -map.upper;
  d.section(fmt::format("{} by {}", levels.name, places.name),
            "Where it matters which level is taken, and where it does not.")
      .add(std::move(map));
}

void add_effects(Document& d, const StudyJob& job, const StudyPlan& plan, const StudyResult& result) {
  if (result.responses.empty() || result.responses.front().effects.empty()) return;
  const auto& names = result.responses.front().effects;
  const bool sobol = job.design == StudyDesign::sensitivity;
  const bool any = std::any_of(result.responses.begin(), result.responses.end(), [](const auto& r) {
    return std::any_of(r.effects.begin(), r.effects.end(), [](const StudyEffect& e) { return e.effect.determined; });
  });
  if (!any && !sobol) return;
  Section& section = d.section("What acts on what");
  Heatmap map{
      .title = sobol ? "Total Sobol indices: share of the variance with all that a parameter does"
                     : "Effect of one standard deviation of each parameter over the standard deviation of the response",
      .lower = sobol ? 0.0 : -1.0,
      .upper = 1.0,
      .scale = sobol ? ColourScale::sequential : ColourScale::diverging,
      .decimals = 2};
  for (const StudyResponseResult& r : result.responses) map.column_names.push_back(r.name);
  for (std::size_t k = 0; k < names.size(); ++k) {
    map.row_names.push_back(names[k].parameter);
    std::vector<double> row;
    for (const StudyResponseResult& r : result.responses)
      row.push_back(sobol ? (r.effects[k].index ? r.effects[k].index->total : study::not_known)
                          : r.effects[k].effect.per_std / r.spread.std);
    map.values.push_back(std::move(row));
  }
  section.add(std::move(map));
  std::vector<Block> tables;
  for (const StudyResponseResult& r : result.responses) {
    std::vector<const StudyEffect*> order;
    for (const StudyEffect& e : r.effects) order.push_back(&e);
    const auto weight = [&](const StudyEffect* e) {
      const double w = sobol && e->index ? e->index->total : e->effect.share;
      return std::isfinite(w) ? w : -1.0;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const StudyEffect* a, const StudyEffect* b) { return weight(a) > weight(b); });
    Table table{.title = fmt::format("{}{}", r.name, unit_of(r.unit).empty() ? "" : ", " + r.unit)};
    if (sobol) {
      table.columns = {{.title = "Parameter"},
                       {.title = "Alone"},
                       {.title = "95 % interval", .align = Align::left},
                       {.title = "Total"},
                       {.title = "95 % interval", .align = Align::left}};
      for (const StudyEffect* e : order)
        if (e->index)
          table.rows.push_back(
              {.cells = {e->parameter, e->index->first,
                         fmt::format("{:.3f} to {:.3f}", e->index->first_lower_95, e->index->first_upper_95),
                         e->index->total,
                         fmt::format("{:.3f} to {:.3f}", e->index->total_lower_95, e->index->total_upper_95)}});
    } else {
      table.columns = {{.title = "Parameter"},
                       {.title = "By one standard deviation"},
                       {.title = "95 % interval", .align = Align::left},
                       {.title = "Share of variance", .unit = "%", .digits = 3},
                       {.title = "Rank correlation", .digits = 3},
                       {.title = "95 % interval", .align = Align::left}};
      for (const StudyEffect* e : order)
        table.rows.push_back(
            {.cells = {e->parameter, e->effect.determined ? Value(e->effect.per_std) : Value("not determined"),
                       e->effect.determined
                           ? Value(fmt::format("{:.3g} to {:.3g}", e->effect.lower_95, e->effect.upper_95))
                           : Value(),
                       e->effect.determined ? Value(100.0 * e->effect.share) : Value(), e->effect.rank_correlation,
                       std::isfinite(e->effect.rank_lower_95)
                           ? Value(fmt::format("{:.2f} to {:.2f}", e->effect.rank_lower_95, e->effect.rank_upper_95))
                           : Value()}});
      if (std::isfinite(r.r_squared))
        table.note = fmt::format("Straight lines explain {:.0f} % of the variance.", 100.0 * r.r_squared);
    }
    tables.push_back(Block{std::move(table)});
  }
  section.add(Details{"Effects with intervals", std::move(tables)});
  // Each response over the two parameters that act most.
  std::vector<Plot> plots;
  for (const StudyResponseResult& r : result.responses) {
    std::vector<std::size_t> order(r.effects.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto weight = [&](std::size_t k) {
      const double w =
          sobol && r.effects[k].index ? r.effects[k].index->total : std::abs(r.effects[k].effect.rank_correlation);
      return std::isfinite(w) ? w : -1.0;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    for (std::size_t n = 0; n < std::min<std::size_t>(2, order.size()); ++n) {
      const std::string& name = r.effects[order[n]].parameter;
      const auto column = static_cast<std::size_t>(std::find_if(plan.columns().begin(), plan.columns().end(),
                                                                [&](const StudyColumn& c) { return c.name == name; }) -
                                                   plan.columns().begin());
      Plot plot{.title = fmt::format("{} over {}", r.name, name),
                .x = {name, unit_of(plan.columns()[column].unit)},
                .y = {r.name, unit_of(r.unit)},
                .height_px = 240};
      // One colour for each level of the first parameter that has some.
      const auto by = std::find_if(plan.columns().begin(), plan.columns().end(), [&](const StudyColumn& c) {
        return c.has_levels() && c.levels.size() > 1 && c.levels.size() <= 8 && c.name != name;
      });
      const std::size_t groups = by == plan.columns().end() ? 1 : by->levels.size();
      for (std::size_t g = 0; g < groups; ++g) {
        Series dots{.name = groups == 1 ? "runs" : by->levels[g].name, .style = SeriesStyle::markers};
        for (std::size_t run = 0; run < plan.runs(); ++run) {
          if (!std::isfinite(r.values[run])) continue;
          if (groups > 1 &&
              static_cast<std::size_t>(plan.entry(run, static_cast<std::size_t>(by - plan.columns().begin()))) != g)
            continue;
          dots.x.push_back(plan.number(run, column)), dots.y.push_back(r.values[run]);
          if (dots.hover.size() < max_points_per_series) dots.hover.push_back(fmt::format("run {}", run));
        }
        if (dots.x.size() > dots.hover.size()) dots.hover.clear();
        plot.series.push_back(std::move(dots));
      }
      plots.push_back(std::move(plot));
    }
  }
  in_rows(section, std::move(plots), 2, "More plots");
}

void add_runs(Document& d, const StudyResult& result, const std::string& last_step) {
  if (!result.kept.empty()) {
    Section& section = d.section(
        "Runs kept", "Each is there whole: results and report of every step, and the files as they were changed.");
    Table table{.columns = {{.title = "Run", .align = Align::left}, {.title = "Why", .align = Align::left}}};
    for (const auto& [name, value] : result.kept.front().parameters) table.columns.push_back({.title = name});
    for (const auto& [name, value] : result.kept.front().responses) table.columns.push_back({.title = name});
    for (const KeptRun& kept : result.kept) {
      Row row{.cells = {fmt::format("{}", kept.run), kept.why}};
      row.link = kept.folder + "/" + last_step + "/report.html";
      for (const auto& [name, value] : kept.parameters) row.cells.push_back(value);
      for (const auto& [name, value] : kept.responses) row.cells.push_back(value);
      table.rows.push_back(std::move(row));
    }
    section.add(std::move(table));
  }
  if (!result.failures.empty()) {
    Section& section = d.section("Runs that failed", "They count in no number of this report.");
    Table table{.columns = {{.title = "Reason", .align = Align::left}, {.title = "Runs"}, {.title = "The first"}}};
    for (const StudyFailure& f : result.failures) table.rows.push_back({.cells = {f.reason, f.runs, f.first}});
    section.add(std::move(table));
  }
}

void add_design(Document& d, const StudyJob& job, const StudyPlan& plan) {
  Section& section = d.section("Design");
  Table table{.columns = {{.title = "Parameter"},
                          {.title = "Unit", .align = Align::left},
                          {.title = "What stands there", .align = Align::left},
                          {.title = "Values", .align = Align::left},
                          {.title = "Places", .align = Align::left}}};
  for (const StudyColumn& c : plan.columns()) {
    std::string values;
    if (c.has_levels()) {
      for (std::size_t k = 0; k < std::min<std::size_t>(8, c.levels.size()); ++k)
        values += (k > 0 ? ", " : "") + c.levels[k].name;
      if (c.levels.size() > 8) values += fmt::format(", ... ({} in all)", c.levels.size());
    } else if (job.design == StudyDesign::list) {
      values = "from the table";
    } else {
      const study::Distribution& x = c.distribution;
      const bool round = x.kind == study::DistributionKind::normal || x.kind == study::DistributionKind::lognormal;
      values =
          round ? fmt::format("{}, mean {:.4g}, standard deviation {:.3g}",
                              x.kind == study::DistributionKind::normal ? "normal" : "lognormal", x.mean, x.std)
                : fmt::format("{} from {:.4g} to {:.4g}",
                              x.kind == study::DistributionKind::uniform ? "uniform" : "triangular", x.lower, x.upper);
    }
    std::string places;
    for (const std::string& place : c.places) places += (places.empty() ? "" : ", ") + place;
    if (places.empty() && c.has_levels()) places = fmt::format("{} places by level", c.levels.back().settings.size());
    table.rows.push_back({.cells = {c.name, c.unit,
                                    c.use == PlaceUse::value    ? "is set"
                                    : c.use == PlaceUse::factor ? "is multiplied"
                                                                : "is added to",
                                    values, places}});
  }
  section.add(std::move(table));
}

// Results are SI; people read N/mm and mm.
StudyResult in_display_units(StudyResult result) {
  for (std::size_t i = 0; i < result.responses.size(); ++i) {
    StudyResponseResult& r = result.responses[i];
    const DisplayUnit unit = display_unit(r.unit);
    const double f = unit.factor;
    r.unit = unit.unit;
    for (double& v : r.values) v *= f;
    const auto scale = [f](study::Spread& s) {
      for (double* v : {&s.mean, &s.mean_lower_95, &s.mean_upper_95, &s.std, &s.minimum, &s.lower_5, &s.lower_25,
                        &s.median, &s.upper_75, &s.upper_95, &s.maximum})
        *v *= f;
    };
    scale(r.spread);
    for (StudyEffect& e : r.effects)
      for (double* v : {&e.effect.slope, &e.effect.per_std, &e.effect.lower_95, &e.effect.upper_95}) *v *= f;
    for (StudyLevels& levels : r.levels)
      for (StudyLevel& level : levels.levels) {
        scale(level.spread);
        study::PairedDifference& d = level.against_first;
        for (double* v : {&d.mean, &d.lower_95, &d.upper_95, &d.std}) *v *= f;
      }
    for (KeptRun& kept : result.kept) kept.responses[i].second *= f;
  }
  return result;
}

}  // namespace

report::Document study_report(const std::string& title, const StudyJob& job, const StudyPlan& plan,
                              const StudyResult& found) {
  const StudyResult result = in_display_units(found);
  Document d{.title = title, .subtitle = "Study"};
  for (std::size_t i = 0; i < job.chain.size(); ++i) d.subtitle += (i == 0 ? " of " : ", ") + job.chain[i].operation;
  const bool done = result.status == "done";
  d.key_figures.push_back({.label = "Status",
                           .value = result.status,
                           .quality = done ? Quality::good : Quality::poor,
                           .note = result.reason});
  d.key_figures.push_back({.label = "Runs", .value = plan.runs(), .digits = 8});
  d.key_figures.push_back({.label = "Failed",
                           .value = result.failed,
                           .quality = result.failed == 0 ? Quality::good
                                      : done             ? Quality::fair
                                                         : Quality::poor,
                           .digits = 8});
  d.key_figures.push_back({.label = "Parameters", .value = plan.columns().size()});
  d.key_figures.push_back({.label = "Responses", .value = result.responses.size()});
  if (!result.findings.empty()) d.section("Findings").add(Findings{.findings = result.findings});
  if (result.optimum) add_optimum(d, *result.optimum);
  add_spread(d, plan, result);
  add_levels_by_levels(d, plan, result);
  add_levels(d, result);
  add_effects(d, job, plan, result);
  std::string last_step = job.chain.back().name.empty() ? job.chain.back().operation : job.chain.back().name;
  std::replace(last_step.begin(), last_step.end(), ' ', '_');
  add_runs(d, result, last_step);
  add_design(d, job, plan);
  return d;
}

}  // namespace kdyn::app
