// SPDX-License-Identifier: Apache-2.0
// kdyn insitu: multibody models and measured signals in, parameters of their mounts out.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/search_watcher.hpp"
#include "kdyn/insitu/result_fields.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const InsituExperimentJob*) {
  using E = app::InsituExperimentJob;
  static const FieldTable table = FieldTable::of<E>("experiment", [](FieldTable& t) {
    t.add(&E::name, "name", "-", "Name; by default that of the data").unless_empty();
    t.add(&E::data, "data", "-", "Measured signals: delimited text with a time column").reads();
    t.add(&E::model, "model", "-", "Multibody model file instead of the job's").reads().unless_empty();
    t.add(&E::signals, "signals", "-", "Signals to compare, instead of the job's").unless_null();
    t.add(&E::columns, "columns", "-", "Columns of the data by signal, instead of the job's").unless_null();
    t.add(&E::loads, "loads", "-", "Loads instead of those of the model").unless_null();
    t.add(&E::gravity, "gravity", "-", "Gravity instead of that of the model").unless_null();
    t.add(&E::run, "run", "-", "Settings of the run that replace those of the model").unless_null();
    t.add(&E::end_points, "end_points", "-", "What is known at the end of the run, instead of the job's").unless_null();
    t.add(&E::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& app::fields_of(const InsituPriorJob*) {
  using P = app::InsituPriorJob;
  static const FieldTable table = FieldTable::of<P>("prior", [](FieldTable& t) {
    t.add(&P::bench, "bench", "-", "result.json of kdyn fit").reads().unless_empty();
    t.add(&P::axis, "axis", "-", "Axis of the mount that was fitted: left.fz").unless_empty();
    t.add(&P::widen, "widen", "-", "Factor on the standard deviations; 1 takes them as they are").above(0.0);
    t.add(&P::parameter, "parameter", "-", "One parameter of start, instead of a bench result").unless_empty();
    t.add(&P::value, "value", "SI", "Its expected value");
    t.add(&P::relative_std, "relative_std", "-", "Its standard deviation over the value: 0.1 for 10 %").at_least(0.0);
    t.add(&P::std, "std", "m or rad", "Of a place: its standard deviation").at_least(0.0);
    t.add(&P::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& app::fields_of(const InsituTieJob*) {
  using T = app::InsituTieJob;
  static const FieldTable table = FieldTable::of<T>("tie", [](FieldTable& t) {
    t.add(&T::parameter, "parameter", "-", "Parameter that follows another").must_be_given();
    t.add(&T::to, "to", "-", "The free parameter it follows").must_be_given();
    t.add(&T::ratio, "ratio", "-", "Its value over that of the free parameter").above(0.0);
    t.add(&T::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& app::fields_of(const InsituEndPointJob*) {
  using E = app::InsituEndPointJob;
  static const FieldTable table = FieldTable::of<E>("end point", [](FieldTable& t) {
    t.add(&E::signal, "signal", "-", "Signal, as kdyn simulate names it; of a sensor its true value").must_be_given();
    t.add(&E::value, "value", "SI", "Its value at the end of the run").must_be_given();
    t.add(&E::std, "std", "SI", "Standard deviation of that value").above(0.0).must_be_given();
    t.add(&E::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& app::fields_of(const InsituJob*) {
  using J = app::InsituJob;
  static const FieldTable table = FieldTable::of<J>("insitu", [](FieldTable& t) {
    t.add(&J::job, "job", "-", "Multibody model file, or a JSON file with the fields below").from_words().job_file();
    t.add(&J::model, "model", "-", "Multibody model file, where the job file does not name one").reads();
    t.add(&J::data, "data", "-", "Measured signals: delimited text with a time column, one file for each experiment")
        .reads();
    t.add(
        &J::signals, "signals", "-",
        "Signals to compare, by the names kdyn simulate gives them: m2.position.x, frame.acceleration.z, left.fz.load; "
        "by default all channels of the sensors");
    t.add(&J::sensors, "sensors", "-",
          "Sensors beside those of the model, or instead of those of the same name; \"unknown\": [\"gain\", "
          "\"offset\", \"delay\", \"orientation\"] frees what is not known about them");
    t.add(&J::columns, "columns", "-",
          "Columns of the data, where they are not named as the signals: {\"frame.acceleration.z\": \"Ch 3\"}");
    t.add(&J::experiments, "experiments", "-",
          "Experiments that differ in more than their data: [{\"name\", \"data\", \"model\", \"signals\", \"columns\", "
          "\"loads\", \"gravity\", "
          "\"run\"}]");
    t.add(&J::start, "start", "-",
          "Free parameters and their start values: left.fz.stiffness=2e5, engine.mass=200, left.position.x=0; of a "
          "signal SIGNAL.gain=1, SIGNAL.offset=0, SIGNAL.delay=0; of the recorder time_offset=0; of a load or drive "
          "shaker.force.z.factor=1, post.drive.time_shift=0, post.drive.frequency_factor=1; of a sensor a1.turn.x=0");
    t.add(&J::ties, "ties", "-",
          "Parameters that change together: [{\"parameter\": \"right.fz.stiffness\", \"to\": "
          "\"left.fz.stiffness\", \"ratio\": 1}]");
    t.add(&J::end_points, "end_points", "-",
          "What is known of signals at the end of the run, beside records: [{\"signal\": \"m2.position.x\", \"value\": "
          "0.012, \"std\": 0.0005}]");
    t.add(&J::priors, "priors", "-",
          "What is known before: [{\"bench\": \"fit/result.json\", \"axis\": \"left.fz\", \"widen\": 1}, "
          "{\"parameter\", \"value\", "
          "\"relative_std\"}]");
    t.add(&J::resume, "resume", "-", "result.json of an earlier run: go on where it ended").reads();
    t.add(&J::step_s, "step_s", "s", "Time step instead of the model's").above(0.0);
    t.add(&J::duration_s, "duration_s", "s", "Duration instead of the model's").above(0.0);
    t.add(&J::title, "title", "-", "Title of the report; by default that of the model");
    t.include(&J::fit, field_table<InsituOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct InsituOutput {
  const InsituInputs& inputs;
  const InsituResult& result;
  std::vector<Finding> findings;
  std::vector<std::string> files;
};

namespace {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct GradientEntry {
  double adjoint = 0.0, forward = 0.0, differences = 0.0;
};
const FieldTable& fields_of(const GradientEntry*) {
  using G = GradientEntry;
  static const FieldTable table = FieldTable::results<G>("gradient entry", [](FieldTable& t) {
    t.add(&G::adjoint, "adjoint", "-", "By the adjoint method");
    t.add(&G::forward, "forward", "-", "By direct sensitivity");
    t.add(&G::differences, "differences", "-", "By central differences");
  });
  return table;
}

struct GradientShown {
  const InsituOutput& of;
  const InsituGradientCheck& check() const { return of.result.gradient_check; }
};
const FieldTable& fields_of(const GradientShown*) {
  using G = GradientShown;
  static const FieldTable table = FieldTable::results<G>("gradient check", [](FieldTable& t) {
    const auto done = [](const G& g, auto value) { return g.check().done ? std::optional(value) : std::nullopt; };
    t.add([](const G& g) { return g.check().done; }, "done", "-", "Whether it was made");
    t.add([done](const G& g) { return done(g, g.check().adjoint_forward); }, "adjoint_forward", "-",
          "Adjoint against direct sensitivity")
        .unless_null();
    t.add([done](const G& g) { return done(g, g.check().adjoint_differences); }, "adjoint_differences", "-",
          "Adjoint against differences")
        .unless_null();
    t.add(
         [done](const G& g) {
           return done(g, std::string("derivative of the objective by the logarithm of each parameter at the start (of "
                                      "places: by centimetres or "
                                      "hundredths of a radian); differences over the largest component"));
         },
         "meaning", "-", "What is compared")
        .unless_null();
    t.add(
         [](const G& g) {
           std::vector<std::pair<std::string, GradientEntry>> out;
           for (std::size_t i = 0; g.check().done && i < g.of.inputs.parameters.size(); ++i) {
             const auto k = static_cast<Eigen::Index>(i);
             out.emplace_back(g.of.inputs.parameters[i].name,
                              GradientEntry{g.check().adjoint[k], g.check().forward[k], g.check().differences[k]});
           }
           return out;
         },
         "gradient", "-", "By parameter")
        .unless_empty();
  });
  return table;
}

struct IdentifiabilityShown {
  const InsituInputs& inputs;
  const InsituIdentifiability& of;
  // Of places the standard deviation itself, in their unit: relative to a value near zero it would say nothing.
  NamedNumbers deviations(bool places) const {
    NamedNumbers out;
    for (Eigen::Index i = 0; i < of.std.size(); ++i) {
      const InsituParameter& p = inputs.parameters[static_cast<std::size_t>(i)];
      if ((p.scale > 0.0) == places) out.emplace_back(p.name, places ? p.scale * of.std[i] : of.std[i]);
    }
    return out;
  }
};
const FieldTable& fields_of(const IdentifiabilityShown*) {
  using I = IdentifiabilityShown;
  static const FieldTable table = FieldTable::results<I>("in-situ identifiability", [](FieldTable& t) {
    t.add([](const I& i) { return i.of.noise; }, "noise", "-", "Noise that is assumed, over the rms of each signal");
    t.add([](const I& i) { return i.deviations(false); }, "relative_std", "-",
          "Standard deviations over the values; null: not determined");
    t.add([](const I& i) { return i.of.condition; }, "condition", "-",
          "Largest over smallest standard deviation of a direction");
    t.add(
        [](const I& i) -> const auto& { return i.of.weak; }, "weak", "-", "What is not determined, in words");
    t.add([](const I& i) { return i.deviations(true); }, "std", "SI",
          "Standard deviations of places, and of gains, offsets and delays of channels")
        .unless_empty();
  });
  return table;
}

struct IdentifiabilitiesShown {
  const InsituOutput& of;
};
const FieldTable& fields_of(const IdentifiabilitiesShown*) {
  using I = IdentifiabilitiesShown;
  static const FieldTable table = FieldTable::results<I>("in-situ identifiability before and after", [](FieldTable& t) {
    t.add(
        [](const I& i) {
          return IdentifiabilityShown{i.of.inputs, i.of.result.before};
        },
        "before", "-", "At the start");
    t.add([](const I& i) { return IdentifiabilityShown{i.of.inputs, i.of.result.after}; }, "after", "-", "At the end");
  });
  return table;
}

struct ExperimentShown {
  std::string name;
  NamedNumbers misfit;
  mbs::AssembledStart start;
};
const FieldTable& fields_of(const ExperimentShown*) {
  using E = ExperimentShown;
  static const FieldTable table = FieldTable::results<E>("in-situ experiment", [](FieldTable& t) {
    t.add(&E::name, "name", "-", "Experiment");
    t.add(&E::misfit, "misfit", "-", "Misfit of each signal");
    t.add(&E::start, "start", "-", "How the start of its run was put together: open joints, and what was moved");
  });
  return table;
}

std::vector<std::string> names_of(const InsituInputs& inputs) {
  std::vector<std::string> names;
  for (const InsituParameter& p : inputs.parameters) names.push_back(p.name);
  return names;
}

}  // namespace

const FieldTable& fields_of(const InsituOutput*) {
  using O = InsituOutput;
  static const FieldTable table = FieldTable::results<O>("insitu result", [](FieldTable& t) {
    t.add([](const O& o) { return o.result.status; }, "status", "-",
          "converged, not_converged, stopped, failed or poor_fit");
    t.add([](const O& o) { return o.result.reason; }, "reason", "-", "Why");
    t.add(
         [](const O& o) -> const auto& { return o.result.parameters; }, "parameters", "-", "Identified parameters")
        .keyed_by("name");
    t.add([](const O& o) { return GradientShown{o}; }, "gradient_check", "-", "Check of the adjoint gradient");
    t.add([](const O& o) { return o.result.misfit; }, "misfit", "-", "Misfit over the rms of the signals");
    t.add([](const O& o) { return o.result.noise; }, "noise", "-", "Noise over the rms of the signals");
    t.add(
        [](const O& o) {
          std::vector<ExperimentShown> out;
          for (std::size_t e = 0; e < o.inputs.experiments.size(); ++e) {
            ExperimentShown& one =
                out.emplace_back(ExperimentShown{o.inputs.experiments[e].name, {}, o.inputs.starts[e].start});
            for (std::size_t j = 0; e < o.result.misfits.size() && j < o.inputs.experiments[e].signals.size(); ++j)
              one.misfit.emplace_back(o.inputs.experiments[e].signals[j], o.result.misfits[e][j]);
          }
          return out;
        },
        "experiments", "-", "Misfit by experiment and signal");
    t.add(
         [](const O& o) -> const auto& { return o.result.channels; }, "channels", "-",
         "How each channel fits the model when its own gain, offset and delay are freed")
        .unless_empty();
    t.add(
         [](const O& o) -> const auto& { return o.result.end_points; }, "end_points", "-",
         "What was known at the end of runs, and what the fitted model does there")
        .unless_empty();
    t.add(
        [](const O& o) {
          return std::string(o.result.method == InsituMethod::quasi_newton ? "quasi_newton" : "gauss_newton");
        },
        "method", "-", "Solver that was used: gauss_newton or quasi_newton");
    t.add([](const O& o) { return o.result.method_reason; }, "method_reason", "-", "Why");
    t.add(
        [](const O& o) {
          return Correlation{names_of(o.inputs), o.result.after.correlation};
        },
        "correlation", "-", "Correlation of the estimates");
    t.add([](const O& o) { return IdentifiabilitiesShown{o}; }, "identifiability", "-",
          "How well the signals determine the parameters");
    t.add(
        [](const O& o) {
          std::vector<InsituIteration> all = o.inputs.earlier;
          all.insert(all.end(), o.result.history.begin(), o.result.history.end());
          return all;
        },
        "history", "-", "Iterations, those of the resumed run first");
    t.add([](const O& o) { return o.result.evaluations; }, "evaluations", "-", "Runs of the model");
    t.add(
        [](const O& o) -> const auto& { return o.result.starts; }, "starts", "-", "Searches from several starts");
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.inputs.job; }, "options_used", "-", "All options");
    t.add(&O::files, "files", "-", "Files beside result.json").unless_empty();
  });
  return table;
}

Outcome insitu_job(const InsituJob& job, Progress& progress) {
  progress.report(0.0, "reading");
  const InsituInputs inputs = read_insitu(job);
  if (SearchWatcher* watcher = watcher_of(progress)) {
    std::vector<std::string> names, units;
    for (const InsituParameter& p : inputs.parameters) names.push_back(p.name), units.push_back(p.unit);
    watcher->values_are(names, units);
  }
  const InsituResult result = identify_in_situ(inputs.experiments, inputs.parameters, inputs.priors, job.fit, progress);

  Outcome outcome;
  outcome.inputs = inputs.sources;
  outcome.complete = result.status == "converged";
  std::vector<Finding> findings = inputs.findings;
  findings.insert(findings.end(), result.findings.begin(), result.findings.end());
  if (!result.parameters.empty()) {
    const std::string model = identified_model(inputs, result, outcome.files);
    outcome.files.insert(outcome.files.begin(), {"model.json", model});
  }
  to_json_fields(InsituOutput{inputs, result, findings, names_of(outcome.files)}, outcome.result);
  outcome.text =
      fmt::format("status: {}{}; misfit {:.3g} % of the signals in {} runs\n", result.status,
                  result.reason.empty() ? "" : " (" + result.reason + ")", 100.0 * result.misfit, result.evaluations);
  if (!result.method_reason.empty()) outcome.text += fmt::format("method: {}\n", result.method_reason);
  if (result.gradient_check.done)
    outcome.text +=
        fmt::format("gradient: adjoint against direct sensitivity {:.1e}, against central differences {:.1e}\n",
                    result.gradient_check.adjoint_forward, result.gradient_check.adjoint_differences);
  outcome.text += parameter_text(result.parameters);
  outcome.text += findings_text(findings);
  outcome.document = insitu_report(inputs, result);
  return outcome;
}

Operation insitu_operation() {
  Operation out = make_operation<InsituJob, InsituOutput>(
      "insitu", "Identify the mounts of a multibody model from signals measured on the whole system",
      "kdyn insitu examples/multibody/double_mass.json --data out/double_mass/series.csv --signals "
      "m2.position.x --start b1.fx.stiffness=1500,b2.fx.stiffness=800 --out out/insitu",
      &insitu_job, {{"job", "Inputs"}, {"step_s", "Run"}, {"method", "Solver"}});
  out.run = [run = out.run](const Json& given, Progress& progress) {
    const std::string path = given.contains("job") && given["job"].is_string() ? given["job"].get<std::string>() : "";
    if (path.empty()) return run(given, progress);
    if (const Json file = read_json(path); !file.is_object() || !file.contains("bodies"))
      return run(with_job_file(field_table<InsituJob>(), given), progress);
    Json options = given;
    options["model"] = path;
    return run(options, progress);
  };
  return out;
}

}  // namespace kdyn::app
