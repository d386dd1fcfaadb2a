// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/vehicle/vehicle_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/vehicle/decay_file.hpp"
#include "kdyn/vehicle/result_fields.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const VehicleJob*) {
  using J = app::VehicleJob;
  static const FieldTable table = FieldTable::of<J>("vehicle", [](FieldTable& t) {
    t.add(
         &J::data, "data", "-",
         "Files with free decays: channels of the sensors, or zs, theta, phi, zuA..zuD, over time_s, with config (0 as "
         "is, 1 with added mass) and case")
        .from_words()
        .reads();
    t.add(&J::data_loaded, "data_loaded", "-", "Files without config column that were measured with the added mass")
        .reads();
    t.add(&J::added_mass, "added_mass", "kg, kg*m^2",
          "What was added to ms, Iyy, Ixx, muA, muB, muC, muD; seven more numbers for config 2 and so on")
        .at_least(0.0);
    t.add(&J::sensors, "sensors", "-",
          "Sensors on body and wheels (A front left, B front right, C, D behind): accelerometer, gyro, angle, "
          "displacement, "
          "string_pot; position: x forward from the first axle line, y to the left of the middle plane")
        .unless_empty();
    t.add(&J::loads, "loads", "-", "Added mass by its places, instead of added_mass").unless_empty();
    t.add(&J::axles, "axles", "-", "Number of axles").range(2, max_axles);
    t.add(&J::hitch, "hitch", "-",
          "A trailer that rests on its tractor as well: a spring and damper ahead of the axles");
    t.add(&J::plan, "plan", "-", "Plan a test instead: accuracy over added mass, cases and record length");
    t.add(&J::quantity, "quantity", "-", "What channels without unit measure")
        .one_of({"displacement", "velocity", "acceleration"});
    t.add(&J::sample_interval_s, "sample_interval_s", "s", "Sampling interval of files without time column").above(0.0);
    t.add(&J::units, "units", "-", "Units of channels that do not tell theirs, e.g. {\"zs\": \"g\"}");
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.include(&J::fit, field_table<VehicleFitOptions>());
    t.include(&J::planning, field_table<PlanOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct VehiclePlanOutput {
  const VehicleJob& job;
  const PlanResult& plan;
  std::vector<Finding> findings{};
};

const FieldTable& fields_of(const VehiclePlanOutput*) {
  using O = VehiclePlanOutput;
  static const FieldTable table = FieldTable::results<O>("vehicle plan", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(
        [](const O& o) {
          return o.plan.recommended >= 0 ? "a test meets the target" : "no test that was tried meets the target";
        },
        "reason", "-", "What came out");
    t.add(
        [](const O& o) -> const auto& { return o.plan.names; }, "names", "-", "Free parameters");
    t.add(
        [](const O& o) -> const auto& { return o.plan.noise; }, "noise", "SI",
        "Standard deviations of the channels that were taken");
    t.add(
        [](const O& o) -> const auto& { return o.plan.tests; }, "tests", "-", "Tests that were tried");
    t.add([](const O& o) { return o.plan.recommended >= 0 ? std::optional(o.plan.recommended) : std::nullopt; },
          "recommended", "-", "Index of the test of least effort that meets the target; null: none does");
    t.add([](const O& o) { return o.plan.best; }, "best", "-", "Index of the most accurate test");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
    add_findings<O>(t);
  });
  return table;
}

struct VehicleOutput {
  const VehicleJob& job;
  const VehicleFitResult& fit;
};

namespace {

struct VehicleMode {
  double frequency_hz, damping;
};
const FieldTable& fields_of(const VehicleMode*) {
  using M = VehicleMode;
  static const FieldTable table = FieldTable::results<M>("vehicle mode", [](FieldTable& t) {
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Natural frequency");
    t.add(&M::damping, "damping", "-", "Damping ratio");
  });
  return table;
}

struct DecayUsed {
  const PreparedDecays& of;
  std::size_t i;
  const DecayRecord& record() const { return of.set.records[i]; }
};
const FieldTable& fields_of(const DecayUsed*) {
  using D = DecayUsed;
  static const FieldTable table = FieldTable::results<D>("decay", [](FieldTable& t) {
    t.add([](const D& d) { return d.record().name; }, "case", "-", "Name of the excitation");
    t.add([](const D& d) { return d.record().config; }, "config", "-", "0: as is, 1 and on: with added mass");
    t.add([](const D& d) { return d.of.start_s[d.i]; }, "start_s", "s", "Start of the used part").shown_in("s");
    t.add([](const D& d) { return d.record().samples.rows(); }, "samples", "-", "Samples");
    t.add([](const D& d) { return d.record().interval; }, "interval_s", "s", "Sampling interval");
  });
  return table;
}

struct VehicleFitFacts {
  const VehicleFitResult& fit;
};
const FieldTable& fields_of(const VehicleFitFacts*) {
  using F = VehicleFitFacts;
  static const FieldTable table = FieldTable::results<F>("vehicle fit", [](FieldTable& t) {
    t.add(
        [](const F& f) -> const auto& { return f.fit.channels; }, "channels", "-", "How each channel was met");
    t.add(
        [](const F& f) -> const auto& { return f.fit.added_mass; }, "added_mass_check", "-", "Test of each added mass");
    t.add([](const F& f) { return f.fit.asymmetry_K; }, "asymmetry_K", "-",
          "|K - K^T| / |K| of the model-free matrices");
    t.add(
        [](const F& f) {
          std::vector<DecayUsed> out;
          for (std::size_t i = 0; i < f.fit.decays.set.records.size(); ++i) out.push_back({f.fit.decays, i});
          return out;
        },
        "records", "-", "Decays as they were used");
    t.add([](const F& f) { return f.fit.decays.average; }, "averaged", "-", "Samples averaged into one");
    t.add([](const F& f) { return f.fit.iterations; }, "iterations", "-", "Iterations");
    t.add([](const F& f) { return f.fit.evaluations; }, "evaluations", "-", "Evaluations of the model");
    t.add([](const F& f) { return f.fit.seconds; }, "seconds", "s", "Computing time").shown_in("s");
    t.add(
        [](const F& f) -> const auto& { return f.fit.cost_history; }, "cost_history", "-", "Cost over the iterations");
  });
  return table;
}

std::vector<std::vector<VehicleMode>> modes_of(const std::vector<VehicleModes>& all) {
  std::vector<std::vector<VehicleMode>> out;
  for (const VehicleModes& modes : all) {
    auto& list = out.emplace_back();
    for (std::size_t i = 0; i < modes.frequency_hz.size(); ++i)
      list.push_back({modes.frequency_hz[i], modes.damping_ratio[i]});
  }
  return out;
}

// Method, then parameter: value.
using NamedNumbers = std::vector<std::pair<std::string, double>>;
std::vector<std::pair<std::string, NamedNumbers>> other_methods_of(const VehicleOutput& o) {
  const std::vector<std::string> names = parameter_names(o.job.fit.symmetric, o.fit.vehicle.layout);
  std::vector<std::pair<std::string, NamedNumbers>> out;
  for (const auto& [method, values] : o.fit.other_methods) {
    NamedNumbers& list = out.emplace_back(method, NamedNumbers()).second;
    for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i], values[static_cast<Eigen::Index>(i)]);
  }
  return out;
}

}  // namespace

const FieldTable& fields_of(const VehicleOutput*) {
  using O = VehicleOutput;
  static const FieldTable table = FieldTable::results<O>("vehicle result", [](FieldTable& t) {
    t.add([](const O& o) { return o.fit.status; }, "status", "-", "converged, not_converged or stopped");
    t.add([](const O& o) { return o.fit.reason; }, "reason", "-", "Why");
    t.add(
         [](const O& o) -> const auto& { return o.fit.parameters; }, "parameters", "-", "Identified parameters")
        .keyed_by("name");
    t.add(
        [](const O& o) {
          return Correlation{o.fit.correlation_names, o.fit.correlation};
        },
        "correlation", "-", "Correlation of the free ones");
    t.add(
        [](const O& o) -> const auto& { return o.fit.not_told_apart; }, "not_told_apart", "-",
        "Parameters that the data cannot distinguish");
    t.add([](const O& o) { return modes_of(o.fit.modes); }, "modes", "-", "Modes of each configuration");
    t.add([](const O& o) { return other_methods_of(o); }, "other_methods", "-", "What other methods found")
        .unless_empty();
    t.add([](const O& o) { return VehicleFitFacts{o.fit}; }, "fit", "-", "Quality of the fit");
    t.add(
        [](const O& o) -> const auto& { return o.fit.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

std::vector<AddedMass> added_masses(const std::vector<double>& numbers) {
  if (numbers.size() % vehicle_dofs != 0)
    throw_bad_input("added_mass", fmt::format("has {} numbers, not seven for each configuration", numbers.size()),
                    "give what was added to ms, Iyy, Ixx, muA, muB, muC, muD; 0 where nothing was");
  std::vector<AddedMass> out(numbers.size() / vehicle_dofs);
  for (std::size_t i = 0; i < numbers.size(); ++i) out[i / vehicle_dofs][i % vehicle_dofs] = numbers[i];
  return out;
}

Outcome run_plan(const VehicleJob& job) {
  if (!job.sensors.empty() || !job.loads.empty() || job.axles != 2 || job.hitch)
    throw_bad_input("plan", "a plan is made for the seven motions of two axles and added_mass",
                    "leave sensors, loads, axles and hitch out");
  const std::vector<AddedMass> added = added_masses(job.added_mass);
  if (added.empty())
    throw_bad_input("added_mass", "a plan needs the added mass to start from",
                    "give about a tenth of the vehicle's mass and inertia: --added-mass 130 250 40 4 4 5 5");
  // The assumed vehicle: start values, fixed ones, else the published car.
  Vehicle<double> vehicle;
  const auto members = vehicle.members();
  const std::vector<std::string> names = parameter_names(job.fit.symmetric);
  PlanOptions options = job.planning;
  options.symmetric = job.fit.symmetric;
  for (const auto* given : {&job.fit.start, &job.fit.fixed})
    for (const auto& [name, value] : *given) {
      const auto it = std::find(names.begin(), names.end(), name);
      if (it == names.end())
        throw_bad_input("start." + name, fmt::format("there is no parameter {}", in_quotes(name)),
                        suggest(name, names));
      for (const int m : vehicle_parameters(job.fit.symmetric)[static_cast<std::size_t>(it - names.begin())].members)
        *members[static_cast<std::size_t>(m)] = value;
      if (given == &job.fit.fixed && std::find(options.known.begin(), options.known.end(), name) == options.known.end())
        options.known.push_back(name);
    }
  const PlanResult plan = plan_test(vehicle, added.front(), job.fit.noise, options);
  Outcome outcome;
  to_json_fields(VehiclePlanOutput{job, plan}, outcome.result);
  const auto describe = [&](int index) {
    const PlannedTest& t = plan.tests[static_cast<std::size_t>(index)];
    return fmt::format(
        "{} with {:g} x the added mass, {:g} s each: all parameters to {:.2g} % ({} is the least certain)",
        join(t.cases, " + "), t.mass_factor, t.length_s, t.worst_percent, t.worst_name);
  };
  outcome.text = plan.recommended >= 0
                     ? fmt::format("least effort for {:g} %: {}\n", options.target_percent, describe(plan.recommended))
                     : fmt::format("no test meets {:g} %\n", options.target_percent);
  outcome.text += fmt::format("most accurate:    {}\n", describe(plan.best));
  outcome.document = plan_report(job.title.empty() ? "Plan of a bump test" : job.title, plan, options, added.front());
  return outcome;
}

}  // namespace

Outcome vehicle_job(const VehicleJob& job, Progress& progress) {
  if (job.plan) return run_plan(job);
  if (job.data.empty())
    throw_bad_input("data", "there are no decays", "give the files with the measured decays, or --plan to plan a test");
  DecayFileOptions reading;
  std::vector<Finding> about_sensors;
  reading.layout = {static_cast<int>(job.axles), job.hitch};
  if (!job.sensors.empty()) reading.channels = channels_of(job.sensors, reading.layout, about_sensors);
  if (!job.loads.empty() && !job.added_mass.empty())
    throw_bad_input("loads", "added mass is given twice, by loads and by added_mass", "give one of them");
  if (!job.added_mass.empty() && reading.layout.axles != 2)
    throw_bad_input("added_mass", "seven numbers are those of two axles", "give loads with their places");
  reading.sample_interval_s = job.sample_interval_s;
  reading.quantity = job.quantity;
  reading.units = job.units;
  progress.report(0.0, "reading");
  DecayFiles files = read_decay_files(job.data, job.data_loaded, reading);
  files.set.added = added_masses(job.added_mass);
  files.set.points = points_of(job.loads, reading.layout);
  VehicleFitResult fit = identify_vehicle(files.set, job.fit, progress);
  fit.findings.insert(fit.findings.begin(), files.findings.begin(), files.findings.end());
  fit.findings.insert(fit.findings.begin(), about_sensors.begin(), about_sensors.end());

  Outcome outcome;
  outcome.complete = fit.status == "converged";
  outcome.inputs = files.sources;
  to_json_fields(VehicleOutput{job, fit}, outcome.result);
  outcome.text = fmt::format("status: {} ({}); {} records, fitted in {:.3g} ms\n", fit.status, fit.reason,
                             fit.decays.set.records.size(), 1e3 * fit.seconds) +
                 parameter_text(fit.parameters);
  outcome.text += findings_text(fit.findings);
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.data.front()).stem().string();
  outcome.document = vehicle_report(title, fit, job.fit.symmetric);
  return outcome;
}

}  // namespace kdyn::app
