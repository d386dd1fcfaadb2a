// SPDX-License-Identifier: Apache-2.0
// The report of a simulation: how it went, the motion, and the signals that say most.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/multibody/assembled_start.hpp"
#include "kdyn/app/multibody/simulate_run.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {

using namespace mbs;
using namespace report;

namespace {

constexpr std::size_t most_telling = 6, most_chosen = 24, most_rows = 60;

bool is_group_of_deflections(const std::string& group) {
  return group == "Deflections of mounts" || group == "Angles of mounts";
}

// Without a choice of the user: what carries and what is felt.
bool is_telling(const std::string& group, const Model& model) {
  if (group.ends_with("of mounts") || group.ends_with("of sensors") || group == "Forces of tyres" ||
      group == "Slips of tyres" || group.starts_with("Outputs of controllers") || group == "Accelerations of markers" ||
      group == "Reaction forces of joints" || group == "Energies" || group == "Mode coordinates")
    return true;
  // Where nothing is between the bodies, they themselves are looked at.
  return group == "Positions of bodies" && model.connections.empty() && model.tyres.empty();
}

double range_of(const SignalSummary& s) { return s.max - s.min; }
// Signals that stay where they are only fill the legend.
bool moves(const SignalSummary& s) {
  return range_of(s) > 1e-12 && range_of(s) > 1e-9 * std::max(std::abs(s.min), std::abs(s.max));
}

DisplayUnit unit_shown(const std::string& group, const std::string& unit) {
  return is_group_of_deflections(group) ? display_unit(unit) : DisplayUnit{unit, 1.0};
}

void add_key_figures(Document& d, const SimulateRun& r) {
  const RunOptions& options = r.file.run;
  const bool done = r.run.status == RunStatus::done;
  d.key_figures.push_back({.label = "Status",
                           .value = to_string(r.run.status),
                           .quality = done ? Quality::good : Quality::poor,
                           .note = done ? "" : "see below"});
  d.key_figures.push_back(
      {.label = done ? "Simulated" : "Last good time",
       .value = r.run.last_time,
       .unit = "s",
       .quality = done ? Quality::neutral : Quality::poor,
       .note = fmt::format("of {:g} s in steps of {}{:.3g} s{}", options.duration_s,
                           options.step_control ? "at most " : "", options.step_s,
                           r.restarted ? fmt::format(", from a state at {:g} s", r.restarted->run.t) : "")});
  if (options.step_control && r.steps.smallest)
    d.key_figures.push_back({.label = "Steps taken",
                             .value = r.run.counts.steps,
                             .note = fmt::format("{} rejected; {:.2g} to {:.2g} s long", r.run.counts.rejected,
                                                 *r.steps.smallest, *r.steps.largest)});
  d.key_figures.push_back({.label = "Bodies",
                           .value = r.system.model().bodies.size(),
                           .note = fmt::format("{} degrees of freedom", r.system.tangents() - r.system.multipliers())});
  if (r.run.counts.steps > 0)
    d.key_figures.push_back(
        {.label = "Newton iterations per step",
         .value = static_cast<double>(r.run.counts.iterations) / static_cast<double>(r.run.counts.steps),
         .note = fmt::format("{} factorisation{}", r.run.counts.factorisations,
                             r.run.counts.factorisations == 1 ? "" : "s"),
         .digits = 3});
}

Plot plot_of(const ShownGroup& group, const SimulateRun& r) {
  Plot plot{.title = group.title, .x = {"Time", "s"}};
  for (const std::size_t i : group.signals) {
    const SignalInfo& signal = r.record.signals()[i];
    const DisplayUnit unit = unit_shown(signal.group, signal.unit);
    plot.y = {group.title.substr(0, group.title.find(' ')), unit.unit};
    auto [x, y] = r.record.plotted(i);
    const double zero = group.from_equilibrium ? r.record.summary(i).first : 0.0;
    for (double& value : y) value = (value - zero) * unit.factor;
    plot.series.push_back({.name = signal.name, .x = std::move(x), .y = std::move(y)});
  }
  if (group.signals.size() < group.moving)
    plot.caption = fmt::format("{} of {} that move: those with the largest range.{}", group.signals.size(),
                               group.moving, r.series_name.empty() ? "" : " All are in " + r.series_name + ".");
  if (group.title == "Energies")
    plot.caption += std::string(plot.caption.empty() ? "" : " ") +
                    "Energy of mounts counts what their laws can give back; losses and loads from outside change the "
                    "total.";
  return plot;
}

Table extremes_of(const std::vector<ShownGroup>& groups, const SimulateRun& r) {
  Table table{.title = "Smallest and largest values",
              .columns = {{.title = "Signal"},
                          {.title = "Unit"},
                          {.title = "Smallest", .align = Align::right},
                          {.title = "at", .unit = "s", .align = Align::right},
                          {.title = "Largest", .align = Align::right},
                          {.title = "at", .unit = "s", .align = Align::right},
                          {.title = "Rms", .align = Align::right}},
              .note = "Of every point of the run, also where plots and files hold fewer."};
  std::size_t left = 0;
  for (const ShownGroup& group : groups)
    for (const std::size_t i : group.signals) {
      if (table.rows.size() == most_rows) {
        ++left;
        continue;
      }
      const SignalInfo& signal = r.record.signals()[i];
      const SignalSummary s = r.record.summary(i);
      const DisplayUnit unit = unit_shown(signal.group, signal.unit);
      table.rows.push_back({{signal.name, unit.unit, s.min * unit.factor, s.min_at, s.max * unit.factor, s.max_at,
                             s.rms * unit.factor}});
    }
  if (std::any_of(groups.begin(), groups.end(), [](const ShownGroup& g) { return g.from_equilibrium; }))
    table.note += " Deflections and angles count from the mount without load, in the plots from the equilibrium.";
  if (left > 0) table.note += fmt::format(" {} more are in result.json.", left);
  return table;
}

}  // namespace

std::vector<ShownGroup> shown_groups(const SimulateRun& r) {
  const auto& list = r.record.signals();
  const bool chosen = !r.job.signals.empty();
  std::vector<ShownGroup> out;
  std::vector<std::string> names;
  for (const SignalInfo& signal : list)
    if (std::find(names.begin(), names.end(), signal.group) == names.end()) names.push_back(signal.group);
  for (const std::string& name : names) {
    if (!chosen && !is_telling(name, r.system.model())) continue;
    ShownGroup group{.title = name};
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].group == name && moves(r.record.summary(i))) group.signals.push_back(i);
    group.moving = group.signals.size();
    if (const std::size_t most = chosen ? most_chosen : most_telling; group.moving > most) {
      std::stable_sort(group.signals.begin(), group.signals.end(), [&](std::size_t a, std::size_t b) {
        return range_of(r.record.summary(a)) > range_of(r.record.summary(b));
      });
      group.signals.resize(most);
      std::sort(group.signals.begin(), group.signals.end());
    }
    if (group.signals.empty()) continue;
    group.from_equilibrium = is_group_of_deflections(name) && r.file.run.static_start && r.restarted == nullptr;
    if (group.from_equilibrium) group.title += " from static equilibrium";
    out.push_back(std::move(group));
  }
  return out;
}

Document simulate_report(const std::string& title, const SimulateRun& r, const Picture& picture) {
  Document d{.title = title, .subtitle = "Multibody simulation"};
  add_key_figures(d, r);
  if (r.run.status != RunStatus::done)
    d.section("What happened")
        .add(Text{r.run.reason + ". Everything up to the last good time is kept below" +
                  (r.series_name.empty() ? "." : " and in " + r.series_name + ".")});
  if (!r.findings.empty()) d.section("Findings").add(Findings{.findings = r.findings});
  add_start_section(d, {{"", r.start}});
  if (Animation motion = picture.animation(); !motion.frames.empty())
    d.section("Motion").named("motion").add(std::move(motion));
  const std::vector<ShownGroup> groups = shown_groups(r);
  if (!groups.empty()) d.section("Largest values").add(extremes_of(groups, r));
  for (const ShownGroup& group : groups) d.section(group.title).add(plot_of(group, r));
  if (r.file.run.step_control && !r.steps.step.empty()) {
    Plot plot{.title = "Step over time", .x = {"Time", "s"}, .y = {"Step", "s", true}};
    plot.series.push_back({.name = "step", .x = r.steps.time, .y = r.steps.step});
    plot.caption = fmt::format(
        "{} steps taken, {} rejected for an error above {:g}. Steps end at every break point of loads and drives.",
        r.run.counts.steps, r.run.counts.rejected, r.file.run.step_tolerance);
    d.section("Steps").add(std::move(plot));
  }
  if (r.findings.empty()) d.section("Findings").add(Findings{.findings = {}, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace kdyn::app
