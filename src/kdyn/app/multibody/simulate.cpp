// SPDX-License-Identifier: Apache-2.0
// kdyn simulate: a multibody model file in, motion, loads, reactions and energies out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/file_room.hpp"
#include "kdyn/app/multibody/assembled_start.hpp"
#include "kdyn/app/multibody/simulate_run.hpp"
#include "kdyn/app/part_sink.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/body_checks.hpp"
#include "kdyn/mbs/control_watch.hpp"
#include "kdyn/mbs/fmu_law.hpp"
#include "kdyn/mbs/motion_check.hpp"
#include "kdyn/mbs/table_watch.hpp"
#include "kdyn/mbs/tyre_watch.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const SimulateJob*) {
  using J = app::SimulateJob;
  static const FieldTable table = FieldTable::of<J>("simulate", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Multibody model file (docs/multibody.md)").from_words().must_be_given().reads();
    t.add(&J::step_s, "step_s", "s", "Time step instead of the model's").above(0.0);
    t.add(&J::duration_s, "duration_s", "s", "End of the run instead of the model's").at_least(0.0);
    t.add(&J::step_tolerance, "step_tolerance", "m", "Step control with this error of one step, instead of the model's")
        .range(1e-14, 1.0);
    t.add(&J::parameters, "parameters", "-", "Parameters of the model (SI units) instead of its values").unless_empty();
    t.add(
        &J::signals, "signals", "-",
        "Signals that are computed, written and shown: names, * for any letters (\"left.*.load\"); all without. Fewer "
        "signals are faster");
    t.add(&J::output_step_s, "output_step_s", "s",
          "Step of the rows in the file of signals, a multiple of step_s; step_s without")
        .above(0.0);
    t.add(&J::anti_alias, "anti_alias", "-",
          "Where output_step_s leaves rows out: filter away what is too fast for the rest");
    t.add(&J::series, "series", "-", "Signals go to series.csv, to series.h5 (smaller, faster), or to no file")
        .one_of({"csv", "hdf5", "none"});
    t.add(&J::samples, "samples", "-",
          "Most samples of each signal in result.json; 0 for none. Without: 2000, fewer of many signals")
        .range(0, 1e7);
    t.add(&J::restart, "restart", "-", "Go on from state.json of another run, up to duration_s").reads();
    t.add(&J::allow_fmu, "allow_fmu", "-", mbs::allow_fmu_meaning);
    t.add(&J::title, "title", "-", "Title of the report; by default that of the model");
  });
  return table;
}

const FieldTable& app::fields_of(const RecordMemory*) {
  using M = app::RecordMemory;
  static const FieldTable table = FieldTable::of<M>("memory of signals", [](FieldTable& t) {
    t.add(&M::turns, "turns", "rad", "Rotation vectors as counted on beyond 180 degrees");
    t.add(&M::late, "late", "-", "Last values of sensors that show late");
  });
  return table;
}

const FieldTable& app::fields_of(const SavedRun*) {
  using S = app::SavedRun;
  static const FieldTable table = FieldTable::of<S>("saved state", [](FieldTable& t) {
    t.add(&S::model_sha256, "model_sha256", "-", "SHA-256 of the model file").must_be_given();
    t.add(&S::run, "run", "-", "State of the run").must_be_given();
    t.add(&S::record, "record", "-", "What its signals remember");
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

// SimulateOutput is what SimulateRun is called where operations are registered.
struct SimulateOutput : SimulateRun {};

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

namespace {

// Every so many points, so that result.json stays small.
struct SeriesShown {
  const RunRecord& record;
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
    t.add([](const S& s) { return s.record.thinned_time(); }, "time_s", "s", "Times").shown_in("s");
    t.add([](const S& s) { return s.record.thinned_every(); }, "every", "-", "Points of the run for one here");
    t.add(
         [](const S& s) {
           std::vector<std::pair<std::string, SignalShown>> out;
           for (std::size_t i = 0; i < s.record.signals().size() && !s.record.thinned_time().empty(); ++i)
             out.emplace_back(s.record.signals()[i].name, SignalShown{s.record.signals()[i].unit, s.record.thinned(i)});
           return out;
         },
         "signals", "-", "Signals by name")
        .unless_empty();
  });
  return table;
}

// Of every point of the run, not only of those that are written.
struct SummaryShown {
  std::string unit;
  SignalSummary of;
};
const FieldTable& fields_of(const SummaryShown*) {
  using S = SummaryShown;
  static const FieldTable table = FieldTable::results<S>("summary of a signal", [](FieldTable& t) {
    const char* unit = "as unit says";
    t.add(&S::unit, "unit", "-", "Unit");
    t.add([](const S& s) { return s.of.min; }, "min", unit, "Smallest value");
    t.add([](const S& s) { return s.of.min_at; }, "min_at_s", "s", "When it was first there");
    t.add([](const S& s) { return s.of.max; }, "max", unit, "Largest value");
    t.add([](const S& s) { return s.of.max_at; }, "max_at_s", "s", "When it was first there");
    t.add([](const S& s) { return s.of.mean; }, "mean", unit, "Mean");
    t.add([](const S& s) { return s.of.rms; }, "rms", unit, "Root of the mean square, mean included");
    t.add([](const S& s) { return s.of.first; }, "first", unit, "At the start; after a static start the equilibrium");
    t.add([](const S& s) { return s.of.last; }, "last", unit, "At the end");
  });
  return table;
}

struct FileShown {
  std::string name;
  double step_s;
  bool filtered;
  std::size_t rows, signals;
};
const FieldTable& fields_of(const FileShown*) {
  using F = FileShown;
  static const FieldTable table = FieldTable::results<F>("file of signals", [](FieldTable& t) {
    t.add(&F::name, "name", "-", "File beside result.json");
    t.add(&F::step_s, "step_s", "s", "Step of its rows");
    t.add(&F::filtered, "filtered", "-", "Whether what is too fast for its rows was filtered away");
    t.add(&F::rows, "rows", "-", "How many there are");
    t.add(&F::signals, "signals", "-", "Signals in a row");
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
           std::vector<std::pair<std::string, SummaryShown>> out;
           for (std::size_t i = 0; i < o.record.signals().size() && o.record.points() > 0; ++i)
             out.emplace_back(o.record.signals()[i].name,
                              SummaryShown{o.record.signals()[i].unit, o.record.summary(i)});
           return out;
         },
         "summary", "-", "Extremes, mean and rms of every signal, over every point of the run")
        .unless_empty();
    t.add([](const O& o) { return SeriesShown{o.record}; }, "series", "-", "Signals over time, thinned");
    t.add(
         [](const O& o) -> std::optional<FileShown> {
           if (o.series_name.empty()) return std::nullopt;
           const double every = static_cast<double>(o.every);
           return FileShown{o.series_name, every * o.file.run.step_s, o.every > 1 && o.job.anti_alias, o.record.rows(),
                            o.record.signals().size()};
         },
         "series_file", "-", "The file that holds the signals")
        .unless_null();
    t.add([](const O& o) { return o.files; }, "files", "-", "Files beside result.json");
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

using namespace mbs;

// Numbers of all signals together that are kept in memory where there is no folder for them, 1.6 GB.
constexpr double most_numbers = 2e8;
// Numbers of all signals together in result.json, about 4 MB, and most of one.
constexpr std::size_t most_shown = 200'000, most_of_one = 2000;
// A file of signals that is told, 200 MB.
constexpr double large_file = 2e8;
// Chosen steps that are told one by one, 160 MB.
constexpr std::size_t most_steps = 1'000'000;

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
                                 const RunRecord& record) {
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

// Rows of the file: every so many points of the grid.
std::size_t points_per_row(const SimulateJob& job, double step_s) {
  if (!job.output_step_s) return 1;
  const double ratio = *job.output_step_s / step_s, whole = std::round(ratio);
  if (whole < 1.0 || whole > 1e6 || std::abs(ratio - whole) > 1e-6 * ratio)
    throw_bad_input("output_step_s",
                    fmt::format("{:g} s is no multiple of the step {:g} s", *job.output_step_s, step_s),
                    fmt::format("give {:g} or {:g}", std::max(1.0, std::floor(ratio)) * step_s,
                                std::max(1.0, std::ceil(ratio)) * step_s));
  return static_cast<std::size_t>(whole);
}

// Bytes of the file, and whether there is room for them.
double file_size(const SimulateJob& job, double rows, std::size_t signals) {
  const double numbers = rows * static_cast<double>(signals + 1);
  return job.series == SeriesFormat::hdf5 ? 8.0 * numbers : 14.0 * numbers;
}
void require_room(const GrowingFile& file, bool in_folder, const SimulateJob& job, double rows, std::size_t signals) {
  const char* remedy = "choose signals, give output_step_s, shorten the run, or --series none";
  if (!in_folder && rows * static_cast<double>(signals + 1) > most_numbers)
    throw_bad_input("duration_s", fmt::format("{:.3g} rows of {} signals do not fit into memory", rows, signals),
                    std::string("give --out DIR, ") + remedy);
  std::error_code ec;
  const auto room = std::filesystem::space(std::filesystem::path(file.path()).parent_path(), ec);
  if (const double bytes = file_size(job, rows, signals); !ec && bytes > 0.95 * static_cast<double>(room.available))
    throw_bad_input("duration_s",
                    fmt::format("{:.3g} rows of {} signals need {:.3g} GB, the disk has {:.3g} GB left", rows, signals,
                                1e-9 * bytes, 1e-9 * static_cast<double>(room.available)),
                    remedy);
}

// What rows that were left out mean, and what choosing would save.
void tell_of_file(const SimulateRun& r, std::vector<Finding>& findings) {
  if (r.series_name.empty()) return;
  const auto& list = r.record.signals();
  if (r.every > 1) {
    const double new_hz = 1.0 / (static_cast<double>(r.every) * r.file.run.step_s);
    const std::vector<double> lost = r.record.lost_by_decimation();
    std::size_t worst = 0, count = 0;
    for (std::size_t i = 0; i < lost.size(); ++i) {
      if (lost[i] > 0.01) ++count;
      if (lost[i] > lost[worst]) worst = i;
    }
    const std::string most = count == 0 ? std::string("; no signal has more than 1 % of its rms there")
                                        : fmt::format(
                                              "; {} of {} signals have more than 1 % of their rms there, {} "
                                              "{:.2g} %",
                                              count, list.size(), list[worst].name, 100.0 * lost[worst]);
    const std::string what = fmt::format("{} holds every {}th point ({:g} s): what is faster than {:g} Hz was ",
                                         r.series_name, r.every, 1.0 / new_hz, 0.5 * new_hz);
    if (r.job.anti_alias)
      findings.push_back(
          {Severity::note, "decimated", "output_step_s",
           what + "filtered away" + most + fmt::format(". Up to {:g} Hz it is as computed", 0.3 * new_hz),
           "summary in result.json counts every point"});
    else if (count > 0)
      findings.push_back({Severity::warning, "folded", "output_step_s",
                          what + "left in and shows as slower motion" + most,
                          "anti_alias true filters it away; a smaller output_step_s keeps it"});
  }
  if (const double bytes = file_size(r.job, static_cast<double>(r.record.rows()), list.size());
      r.job.signals.empty() && bytes > large_file)
    findings.push_back({Severity::note, "many_signals", r.series_name,
                        fmt::format("all {} signals were written, {:.2g} GB", list.size(), 1e-9 * bytes),
                        "--signals \"left.*\" \"*.load\" writes what is wanted, faster"});
}

SavedRun read_state(const std::string& path, std::vector<Source>& inputs) {
  const std::string content = read_text(path);
  SavedRun saved;
  from_json_fields(saved, parse_json(content, path), path);
  inputs.push_back({path, sha256(content), {}});
  return saved;
}

// Where the run begins and ends on its grid.
RecordOptions record_options(const SimulateJob& job, const RunOptions& run, const SavedRun* saved) {
  RecordOptions o;
  o.signals = job.signals;
  o.step_s = run.step_s;
  o.every = points_per_row(job, run.step_s);
  o.filtered = job.anti_alias;
  o.last = std::lround(run.duration_s / run.step_s);
  if (saved == nullptr) return o;
  const bool same = saved->run.step_s == run.step_s;
  o.first = same ? saved->run.grid + (saved->run.on_grid ? 0 : 1) : std::lround(saved->run.t / run.step_s);
  if (o.last <= o.first)
    throw_bad_input(
        "duration_s",
        fmt::format("the saved state is of {:g} s, the run would end at {:g} s", saved->run.t, run.duration_s),
        "duration_s is the end of the run: give a later one");
  return o;
}

}  // namespace

Outcome simulate_job(const SimulateJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  const RunsForeignCode consent(job.allow_fmu);
  ModelFile file =
      model_from_text(content, job.model, std::filesystem::path(job.model).parent_path().string(), job.parameters);
  if (job.step_s) file.run.step_s = *job.step_s;
  if (job.duration_s) file.run.duration_s = *job.duration_s;
  if (job.step_tolerance) file.run.step_control = true, file.run.step_tolerance = *job.step_tolerance;
  check(file.run, job.model + ".run");
  Outcome outcome;
  outcome.inputs.push_back({job.model, sha256(content), {}});
  for (const std::string& path : file.files) outcome.inputs.push_back({path, sha256(read_text(path)), {}});
  const System system(file.model);
  std::optional<SavedRun> saved;
  if (!job.restart.empty()) saved = read_state(job.restart, outcome.inputs);
  AssembledStart start;
  if (!saved) start = assemble_start(system, file.run.closing_limit, job.model);
  for (const auto& found : {start.findings, check_motions(file.model, file.run.step_s, file.run.duration_s, job.model)})
    file.findings.insert(file.findings.end(), found.begin(), found.end());
  if (!file.run.step_control)
    for (Finding& found : check_loads(file.model, file.run.step_s, file.run.duration_s, job.model))
      file.findings.push_back(std::move(found));
  if (saved && saved->model_sha256 != outcome.inputs.front().sha256)
    file.findings.push_back({Severity::note, "other_model", "restart",
                             "the model is not the one that the state was saved with: its loads, laws or masses may "
                             "jump at the restart",
                             ""});
  RecordOptions options = record_options(job, file.run, saved ? &*saved : nullptr);
  options.samples = most_of_one;  // until the number of signals is known
  if (job.samples) {
    options.samples = static_cast<std::size_t>(*job.samples);
  } else {
    const Signals all(system);
    const auto wanted = chosen_signals(all.list(), job.signals, "signals");
    const auto count = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
    options.samples = std::clamp<std::size_t>(most_shown / std::max<std::size_t>(count, 1), 50, most_of_one);
  }
  RunRecord record(system, options);
  if (saved && saved->run.step_s == file.run.step_s) record.continue_from(saved->record);
  std::optional<GrowingFile> rows;
  std::unique_ptr<SignalWriter> writer;
  const bool hdf5 = job.series == SeriesFormat::hdf5;
  if (job.series != SeriesFormat::none) {
    rows.emplace(hdf5 ? "series.h5" : "series.csv", progress);
    const auto* room = dynamic_cast<const FileRoom*>(&progress);
    require_room(*rows, room != nullptr && room->has_room(), job,
                 static_cast<double>(options.last - options.first) / static_cast<double>(options.every),
                 record.signals().size());
    std::vector<WrittenSignal> written;
    for (const SignalInfo& signal : record.signals()) written.push_back({signal.name, signal.unit});
    writer = hdf5 ? store_writer(rows->path(), written, static_cast<double>(options.first) * options.step_s,
                                 static_cast<double>(options.every) * options.step_s)
                  : csv_writer(rows->path(), written);
    record.write_to(writer.get());
  }
  StepLog log;
  Picture picture(system, options.last - options.first);
  TableWatch tables(system);
  TyreWatch tyres(system);
  ControlWatch controllers(system);
  bool begun = false;
  SavedRun end;
  RunResult run = simulate_on(
      system, file.run, saved ? &saved->run : nullptr, job.restart,
      [&](const Run& now) {
        const RunState& s = now.moved();
        if (!tables.empty()) tables.see(now.state());
        if (!tyres.empty()) tyres.see(now.state(), now.evaluation());
        if (!controllers.empty()) controllers.see(now);
        if (!begun && !saved) add_run_start(system, s.q, s.v, file.run.static_start, start);
        begun = true;
        // With chosen steps every point of the grid is the end of one: what is recorded there is the state itself.
        if (s.on_grid) {
          record.record(now);
          if (picture.is_due()) picture.record(now.state(), now.evaluation());
        }
        if (file.run.step_control && s.h > 0.0 && log.step.size() < most_steps)
          log.time.push_back(s.t), log.step.push_back(s.h);
      },
      progress, end.run);
  if (run.status == RunStatus::diverged || run.status == RunStatus::inconsistent_start)
    if (const std::string bad = file.model.bad_signal(
            run.counts.steps > 0 || run.status == RunStatus::diverged ? run.last_time + file.run.step_s : 0.0);
        !bad.empty())
      run.reason = bad + "; " + run.reason;
  for (const Finding& finding : tables.findings(job.model)) file.findings.push_back(finding);
  for (const Finding& finding : tyres.findings(job.model)) file.findings.push_back(finding);
  for (const Finding& finding : controllers.findings(file.run.step_s, job.model)) file.findings.push_back(finding);
  record.finish();
  if (writer) {
    writer->finish();
    rows->finish(outcome.files);
  }
  if (!file.imported.empty()) outcome.files.push_back({"model.json", file.imported});
  if (file.run.step_control) outcome.files.push_back({"steps.csv", log.table()});
  if (begun) {
    end.model_sha256 = outcome.inputs.front().sha256;
    end.record = record.memory();
    Json state;
    to_json_fields(end, state);
    outcome.files.push_back({"state.json", dump_json(state)});
  }
  outcome.complete = run.status == RunStatus::done;
  const std::string series_name = !writer ? "" : hdf5 ? "series.h5" : "series.csv";
  std::vector<std::string> names = names_of(outcome.files);
  if (!series_name.empty() && std::find(names.begin(), names.end(), series_name) == names.end())
    names.insert(names.begin(), series_name);
  const StepsShown steps = log.shown(run.counts, static_cast<int>(most_of_one));
  SimulateOutput output{{.job = job,
                         .file = file,
                         .system = system,
                         .run = run,
                         .record = record,
                         .steps = steps,
                         .start = start,
                         .restarted = saved ? &*saved : nullptr,
                         .every = options.every,
                         .files = std::move(names),
                         .findings = findings_of(file, system, run, record),
                         .series_name = series_name}};
  tell_of_file(output, output.findings);
  to_json_fields(output, outcome.result);
  outcome.text =
      fmt::format("{}: {} steps{}, last good time {:.6g} s\n", to_string(run.status), run.counts.steps,
                  file.run.step_control ? fmt::format(" ({} rejected)", run.counts.rejected) : "", run.last_time);
  if (!run.reason.empty()) outcome.text += "  " + run.reason + "\n";
  outcome.text += findings_text(output.findings);
  const std::string title = !job.title.empty()          ? job.title
                            : !file.model.title.empty() ? file.model.title
                                                        : std::filesystem::path(job.model).stem().string();
  if (wants_report(progress)) outcome.document = simulate_report(title, output, picture);
  return outcome;
}

}  // namespace kdyn::app
