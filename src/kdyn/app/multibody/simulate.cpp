// SPDX-License-Identifier: Apache-2.0
// kdyn simulate: a multibody model file in, motion, loads, reactions and energies out.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/multibody/assembled_start.hpp"
#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/multibody/multibody_picture.hpp"
#include "kdyn/app/multibody/multibody_signals.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/body_checks.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/motion_check.hpp"
#include "kdyn/mbs/table_watch.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const SimulateJob*) {
  using J = app::SimulateJob;
  static const FieldTable table = FieldTable::of<J>("simulate", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Multibody model file (docs/multibody.md)").from_words().must_be_given().reads();
    t.add(&J::step_s, "step_s", "s", "Time step instead of the model's").above(0.0);
    t.add(&J::duration_s, "duration_s", "s", "Duration instead of the model's").at_least(0.0);
    t.add(&J::step_tolerance, "step_tolerance", "m", "Step control with this error of one step, instead of the model's")
        .range(1e-14, 1.0);
    t.add(&J::parameters, "parameters", "-", "Parameters of the model (SI units) instead of its values").unless_empty();
    t.add(&J::samples, "samples", "-",
          "Most samples of each signal in result.json; series.csv has all on the grid of step_s")
        .range(2, 1e7);
    t.add(&J::title, "title", "-", "Title of the report; by default that of the model");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::mbs {
namespace {

const FieldTable& counts_table() {
  using C = RunCounts;
  static const FieldTable table = FieldTable::results<C>("run counts", [](FieldTable& t) {
    t.add(&C::steps, "steps", "-", "Steps taken");
    t.add(&C::iterations, "iterations", "-", "Newton iterations");
    t.add(&C::factorisations, "factorisations", "-", "Factorisations of the Jacobian");
    t.add(&C::rejected, "rejected", "-", "Steps rejected by the step control");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const RunCounts*);
const FieldTable& fields_of(const RunCounts*) { return counts_table(); }

}  // namespace kdyn::mbs

namespace kdyn::app {
namespace {

// Steps that were taken between points of the output grid.
struct StepsShown {
  const mbs::RunCounts& counts;
  std::optional<double> smallest, largest;
  std::vector<double> time, step;  // thinned by the smallest of each run of steps: a short stretch stays to be seen
};

}  // namespace

struct SimulateOutput {
  const SimulateJob& job;
  const mbs::ModelFile& file;
  const mbs::RunResult& run;
  const Recorder& record;
  const StepsShown& steps;
  const mbs::AssembledStart& start;
  std::vector<Finding> findings;
};

namespace {

const FieldTable& fields_of(const StepsShown*) {
  using S = StepsShown;
  static const FieldTable table = FieldTable::results<S>("steps", [](FieldTable& t) {
    t.add([](const S& s) { return s.counts.steps; }, "accepted", "-", "Steps taken");
    t.add([](const S& s) { return s.counts.rejected; }, "rejected", "-", "Steps rejected");
    t.add([](const S& s) { return s.counts.forced; }, "forced", "-",
          "Steps taken at the smallest step although they err more than asked");
    t.add(&S::smallest, "smallest_s", "s", "Smallest step").unless_null();
    t.add(&S::largest, "largest_s", "s", "Largest step").unless_null();
    t.add(&S::time, "time_s", "s", "Times of some steps, the smallest of each stretch").shown_in("s").unless_empty();
    t.add(&S::step, "step_s", "s", "Their lengths").unless_empty();
  });
  return table;
}

// Every so many samples, so that result.json stays small; series.csv has all.
struct SeriesShown {
  const Recorder& record;
  std::size_t every;
  std::vector<double> thin(const std::vector<double>& all) const {
    std::vector<double> some;
    for (std::size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
    return some;
  }
};
struct SignalShown {
  std::string unit;
  std::vector<double> values;
};
const FieldTable& fields_of(const SignalShown*) {
  static const FieldTable table = FieldTable::results<SignalShown>("signal", [](FieldTable& t) {
    t.add(&SignalShown::unit, "unit", "-", "Unit");
    t.add(&SignalShown::values, "values", "as unit says", "Samples");
  });
  return table;
}
const FieldTable& fields_of(const SeriesShown*) {
  using S = SeriesShown;
  static const FieldTable table = FieldTable::results<S>("series", [](FieldTable& t) {
    t.add([](const S& s) { return s.thin(s.record.time()); }, "time_s", "s", "Times").shown_in("s");
    t.add(&S::every, "every", "-", "Samples of series.csv for one here");
    t.add(
         [](const S& s) {
           std::vector<std::pair<std::string, SignalShown>> out;
           for (const Channel& channel : s.record.channels())
             out.emplace_back(channel.name, SignalShown{channel.unit, s.thin(channel.values)});
           return out;
         },
         "signals", "-", "Signals by name")
        .unless_empty();
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const SimulateOutput*) {
  using O = SimulateOutput;
  static const FieldTable table = FieldTable::results<O>("simulate result", [](FieldTable& t) {
    t.add([](const O& o) { return to_string(o.run.status); }, "status", "-",
          "done, stopped, no_static_equilibrium, inconsistent_start or diverged");
    t.add([](const O& o) { return o.run.reason; }, "reason", "-", "Why");
    t.add([](const O& o) { return o.run.last_time; }, "last_time_s", "s", "Last good time").shown_in("s");
    t.add(
        [](const O& o) -> const auto& { return o.run.counts; }, "counts", "-", "Work that was done");
    t.add([](const O& o) -> const StepsShown& { return o.steps; }, "steps", "-", "Steps of the run");
    t.add(
        [](const O& o) -> const auto& { return o.file.run; }, "run", "-", "Settings of the run that were used");
    t.add(
        [](const O& o) -> const auto& { return o.start; }, "start", "-",
        "How the start was put together: open joints, and what was moved");
    t.add(
        [](const O& o) {
          const std::size_t count = o.record.time().size(), most = static_cast<std::size_t>(o.job.samples);
          return SeriesShown{o.record, std::max<std::size_t>(1, (count + most - 2) / (most - 1))};
        },
        "series", "-", "Signals over time");
    t.add(
        [](const O& o) {
          std::vector<std::string> names = {"series.csv"};
          if (o.file.run.step_control) names.push_back("steps.csv");
          return names;
        },
        "files", "-", "Files beside result.json");
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

using namespace mbs;

// Numbers of all signals together that are kept in memory, 1.6 GB.
constexpr double most_numbers = 2e8;
// Chosen steps that are told one by one, 160 MB.
constexpr std::size_t most_steps = 10'000'000;

std::string series_table(const Recorder& record) {
  fmt::memory_buffer text;
  const auto print = [&](auto... arguments) { fmt::format_to(std::back_inserter(text), arguments...); };
  print(FMT_STRING("time [s]"));
  for (const Channel& channel : record.channels()) print(FMT_STRING(",{} [{}]"), channel.name, channel.unit);
  print(FMT_STRING("\n"));
  for (std::size_t i = 0; i < record.time().size(); ++i) {
    print(FMT_STRING("{:.12g}"), record.time()[i]);
    for (const Channel& channel : record.channels()) print(FMT_STRING(",{:.12g}"), channel.values[i]);
    print(FMT_STRING("\n"));
  }
  return fmt::to_string(text);
}

// All of the steps, in order.
struct StepLog {
  std::vector<double> time, step;

  StepsShown shown(const RunCounts& counts, int samples) const {
    StepsShown out{counts, {}, {}, {}, {}};
    if (step.empty()) return out;
    const auto [low, high] = std::minmax_element(step.begin(), step.end());
    out.smallest = *low;
    out.largest = *high;
    const std::size_t every = std::max<std::size_t>(
        1, (step.size() + static_cast<std::size_t>(samples) - 1) / static_cast<std::size_t>(samples));
    for (std::size_t i = 0; i < step.size(); i += every) {
      const auto at = std::min_element(step.begin() + static_cast<std::ptrdiff_t>(i),
                                       step.begin() + static_cast<std::ptrdiff_t>(std::min(step.size(), i + every)));
      out.time.push_back(time[static_cast<std::size_t>(at - step.begin())]);
      out.step.push_back(*at);
    }
    return out;
  }

  std::string table() const {
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), "time [s],step [s]\n");
    for (std::size_t i = 0; i < step.size(); ++i)
      fmt::format_to(std::back_inserter(text), "{:.12g},{:.6g}\n", time[i], step[i]);
    return fmt::to_string(text);
  }
};

std::vector<Finding> findings_of(const ModelFile& file, const System& system, const RunResult& run,
                                 const Recorder& record) {
  std::vector<Finding> findings = file.findings;
  findings.insert(findings.end(), system.findings().begin(), system.findings().end());
  // Above 10 degrees the vect measure is softer than the angle by 1.5 % and more.
  for (Finding& far : record.turned_too_far()) findings.push_back(std::move(far));
  if (record.largest_vect() > 0.1736)
    findings.push_back({Severity::warning, "vect_angle", "bushings",
                        fmt::format("a bushing with the vect measure turns by {:.1f} degrees",
                                    std::asin(std::min(1.0, record.largest_vect())) * 180.0 / std::numbers::pi),
                        "use \"measure\": \"log\" where bushings turn by more than 10 degrees"});
  if (const auto names = system.bushings_without_potential(); !names.empty())
    findings.push_back(
        {Severity::note, "no_potential", "bushings",
         fmt::format("the coupled static forces of {} come from no potential: energy.connections and energy.total are "
                     "left out, and a closed path "
                     "may do net work",
                     join(names, ", ")),
         "give the coupled axes odd curves that differ by a straight line at most, or leave coupling out"});
  if (const auto names = system.laws_without_energy(); !names.empty())
    findings.push_back(
        {Severity::note, "energy_unknown", "bushings",
         fmt::format(
             "the laws of {} do not know the energy they hold: energy.connections and energy.total are left out",
             join(names, ", ")),
         "laws with a known energy: elastomer with the law masing, kelvin_voigt, maxwell, fractional_zener, payne"});
  if (record.largest_gap() > 1e-6)
    findings.push_back({Severity::serious, "joint_opens", "joints",
                        fmt::format("a joint equation that depended on others at the start opens by {:.3g} in the run",
                                    record.largest_gap()),
                        "the start is a singular position: begin the run in another one, or use joints that do not "
                        "repeat each other"});
  if (run.counts.forced > 0)
    findings.push_back({Severity::warning, "step_tolerance", "run.step_control",
                        fmt::format("{} steps err by more than {:g} at the smallest step allowed", run.counts.forced,
                                    file.run.step_tolerance),
                        "lower smallest_step_s, raise the tolerance, or smooth the load that jumps"});
  if (file.run.step_control && run.counts.steps > static_cast<long>(most_steps))
    findings.push_back({Severity::note, "steps_cut", "steps.csv",
                        fmt::format("of {} steps the first {} are told", run.counts.steps, most_steps),
                        "raise the tolerance or smallest_step_s"});
  if (!file.run.step_control)
    if (const std::string missed = missed_by_grid(file.model, file.run.step_s, file.run.duration_s); !missed.empty())
      findings.push_back(
          {Severity::warning, "load_between_steps", "loads", missed, "shorten step_s, or set run.step_control"});
  bool flexible = false;
  for (std::size_t b = 0; b < file.model.bodies.size(); ++b) {
    const Body& body = file.model.bodies[b];
    if (body.modes() == 0) continue;
    flexible = true;
    const double frequency = first_elastic_frequency(body), spin = record.fastest_spin()[b];
    const bool told = body.angular_velocity.norm() > fastest_spin * frequency;
    if (!told && spin > fastest_spin * frequency) findings.push_back(spin_finding(body, spin, frequency));
  }
  if (flexible && file.run.rho_infinity > 0.9)
    findings.push_back({Severity::warning, "rho_infinity", "run.rho_infinity",
                        fmt::format("{:g} leaves high modes of flexible bodies almost undamped; Newton may fail",
                                    file.run.rho_infinity),
                        "use 0.9 or less with flexible bodies"});
  return findings;
}

// Signals that stay where they are only fill the legend.
bool moves(const Channel& channel) {
  const auto [low, high] = std::minmax_element(channel.values.begin(), channel.values.end());
  return !channel.values.empty() && (std::abs(*low) > 1e-12 || std::abs(*high) > 1e-12);
}

report::Document report_of(const std::string& title, const System& system, const RunResult& result,
                           const Recorder& record, const Picture& picture, const RunOptions& options,
                           const StepsShown& steps, const AssembledStart& start, const std::vector<Finding>& findings) {
  using namespace report;
  Document d{.title = title, .subtitle = "Multibody simulation"};
  const bool done = result.status == RunStatus::done;
  d.key_figures.push_back({.label = "Status",
                           .value = to_string(result.status),
                           .quality = done ? Quality::good : Quality::poor,
                           .note = done ? "" : "see below"});
  d.key_figures.push_back({.label = done ? "Simulated" : "Last good time",
                           .value = result.last_time,
                           .unit = "s",
                           .quality = done ? Quality::neutral : Quality::poor,
                           .note = fmt::format("of {:g} s in steps of {}{:.3g} s", options.duration_s,
                                               options.step_control ? "at most " : "", options.step_s)});
  if (options.step_control && steps.smallest)
    d.key_figures.push_back({.label = "Steps taken",
                             .value = result.counts.steps,
                             .note = fmt::format("{} rejected; {:.2g} to {:.2g} s long", result.counts.rejected,
                                                 *steps.smallest, *steps.largest)});
  d.key_figures.push_back({.label = "Bodies",
                           .value = system.model().bodies.size(),
                           .note = fmt::format("{} degrees of freedom", system.tangents() - system.multipliers())});
  if (result.counts.steps > 0)
    d.key_figures.push_back(
        {.label = "Newton iterations per step",
         .value = static_cast<double>(result.counts.iterations) / static_cast<double>(result.counts.steps),
         .note = fmt::format("{} factorisations", result.counts.factorisations),
         .digits = 3});
  if (!done)
    d.section("What happened")
        .add(Text{result.reason + ". Everything up to the last good time is kept below and in series.csv."});
  if (!findings.empty()) d.section("Findings").add(Findings{.findings = findings});
  add_start_section(d, {{"", start}});
  if (report::Animation motion = picture.animation(); !motion.frames.empty())
    d.section("Motion").named("motion").add(std::move(motion));
  std::vector<std::string> groups;
  for (const Channel& channel : record.channels())
    if (std::find(groups.begin(), groups.end(), channel.group) == groups.end()) groups.push_back(channel.group);
  for (const std::string& group : groups) {
    Plot plot{.title = group, .x = {"Time", "s"}};
    for (const Channel& channel : record.channels()) {
      if (channel.group != group || !moves(channel)) continue;
      const DisplayUnit unit =
          group == "Deflections of mounts" ? display_unit(channel.unit) : DisplayUnit{channel.unit, 1.0};
      plot.y = {group.substr(0, group.find(' ')), unit.unit};
      Series series{.name = channel.name, .x = record.time(), .y = channel.values};
      for (double& y : series.y) y *= unit.factor;
      plot.series.push_back(std::move(series));
    }
    if (plot.series.empty()) continue;
    if (group == "Energies")
      plot.caption =
          "Energy of mounts counts what their laws can give back; losses and loads from outside change the total.";
    d.section(group).add(std::move(plot));
  }
  if (options.step_control && !steps.step.empty()) {
    Plot plot{.title = "Step over time", .x = {"Time", "s"}, .y = {"Step", "s", true}};
    plot.series.push_back({.name = "step", .x = steps.time, .y = steps.step});
    plot.caption = fmt::format(
        "{} steps taken, {} rejected for an error above {:g}. Steps end at every break point of loads and drives.",
        result.counts.steps, result.counts.rejected, options.step_tolerance);
    d.section("Steps").add(std::move(plot));
  }
  if (findings.empty()) d.section("Findings").add(Findings{.findings = {}, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace

Outcome simulate_job(const SimulateJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  ModelFile file =
      model_from_text(content, job.model, std::filesystem::path(job.model).parent_path().string(), job.parameters);
  if (job.step_s) file.run.step_s = *job.step_s;
  if (job.duration_s) file.run.duration_s = *job.duration_s;
  if (job.step_tolerance) file.run.step_control = true, file.run.step_tolerance = *job.step_tolerance;
  check(file.run, job.model + ".run");
  const System system(file.model);
  AssembledStart start = assemble_start(system, file.run.closing_limit, job.model);
  for (const auto& found : {start.findings, check_motions(file.model, file.run.step_s, file.run.duration_s, job.model)})
    file.findings.insert(file.findings.end(), found.begin(), found.end());
  Recorder record(system);
  StepLog log;
  const double steps = file.run.duration_s / file.run.step_s;
  if (steps * static_cast<double>(record.channels().size() + 1) > most_numbers)
    throw_bad_input("duration_s",
                    fmt::format("{:.3g} steps of {} signals do not fit into memory", steps, record.channels().size()),
                    "shorten the run, take longer steps, or name fewer markers");
  Picture picture(system, std::lround(steps));
  TableWatch tables(system);
  RunResult run = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        tables.see(s);
        if (record.time().empty()) add_run_start(system, s.q, s.v, file.run.static_start, start);
        // With chosen steps every point of the grid is the end of one: what is recorded there is the state itself.
        if (s.on_grid) record.record(s, e), picture.record(s, e);
        if (file.run.step_control && s.h > 0.0 && log.step.size() < most_steps)
          log.time.push_back(s.t), log.step.push_back(s.h);
      },
      progress);
  if (run.status == RunStatus::diverged || run.status == RunStatus::inconsistent_start)
    if (const std::string bad = file.model.bad_signal(
            run.counts.steps > 0 || run.status == RunStatus::diverged ? run.last_time + file.run.step_s : 0.0);
        !bad.empty())
      run.reason = bad + "; " + run.reason;
  record.delay_sensors(file.run.step_s);
  for (const Finding& finding : tables.findings(job.model)) file.findings.push_back(finding);
  const std::vector<Finding> findings = findings_of(file, system, run, record);
  Outcome outcome;
  outcome.inputs.push_back({job.model, sha256(content), {}});
  outcome.complete = run.status == RunStatus::done;
  const StepsShown shown = log.shown(run.counts, job.samples);
  to_json_fields(SimulateOutput{job, file, run, record, shown, start, findings}, outcome.result);
  outcome.files.push_back({"series.csv", series_table(record)});
  if (!file.imported.empty()) outcome.files.push_back({"model.json", file.imported});
  if (file.run.step_control) outcome.files.push_back({"steps.csv", log.table()});
  outcome.text =
      fmt::format("{}: {} steps{}, last good time {:.6g} s\n", to_string(run.status), run.counts.steps,
                  file.run.step_control ? fmt::format(" ({} rejected)", run.counts.rejected) : "", run.last_time);
  if (!run.reason.empty()) outcome.text += "  " + run.reason + "\n";
  outcome.text += findings_text(findings);
  const std::string title = !job.title.empty()          ? job.title
                            : !file.model.title.empty() ? file.model.title
                                                        : std::filesystem::path(job.model).stem().string();
  outcome.document = report_of(title, system, run, record, picture, file.run, shown, start, findings);
  return outcome;
}

}  // namespace kdyn::app
