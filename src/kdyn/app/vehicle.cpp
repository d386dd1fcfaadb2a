// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/vehicle_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/vehicle/decay_file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const VehicleJob*) {
  using J = app::VehicleJob;
  static const FieldTable table = FieldTable::of<J>("vehicle", [](FieldTable& t) {
    t.add(&J::data, "data", "-", "Files with free decays: zs, theta, phi, zuA..zuD over time_s, with config (0 as is, 1 with added mass) and case");
    t.add(&J::data_loaded, "data_loaded", "-", "Files without config column that were measured with the added mass");
    t.add(&J::added_mass, "added_mass", "kg, kg*m^2", "What was added to ms, Iyy, Ixx, muA, muB, muC, muD; seven more numbers for config 2 and so on")
        .at_least(0.0);
    t.add(&J::plan, "plan", "-", "Plan a test instead: accuracy over added mass, cases and record length");
    t.add(&J::quantity, "quantity", "-", "What channels without unit measure").one_of({"displacement", "velocity", "acceleration"});
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
namespace {

std::vector<AddedMass> added_masses(const std::vector<double>& numbers) {
  if (numbers.size() % vehicle_dofs != 0)
    throw_bad_input("added_mass", fmt::format("has {} numbers, not seven for each configuration", numbers.size()),
                    "give what was added to ms, Iyy, Ixx, muA, muB, muC, muD; 0 where nothing was");
  std::vector<AddedMass> out(numbers.size() / vehicle_dofs);
  for (std::size_t i = 0; i < numbers.size(); ++i) out[i / vehicle_dofs][i % vehicle_dofs] = numbers[i];
  return out;
}

Json modes_json(const VehicleModes& modes) {
  Json out = Json::array();
  for (std::size_t i = 0; i < modes.frequency_hz.size(); ++i)
    out.push_back({{"frequency_hz", modes.frequency_hz[i]}, {"damping", modes.damping_ratio[i]}});
  return out;
}

Json fit_json(const VehicleFitResult& fit) {
  Json out;
  Json channels = Json::array();
  for (const ChannelCheck& c : fit.channels)
    channels.push_back({{"name", c.name},
                        {"unit", c.unit},
                        {"residual", c.residual},
                        {"noise", c.noise},
                        {"residual_to_noise", c.ratio},
                        {"lag_one_correlation", c.lag_one}});
  out["channels"] = std::move(channels);
  Json added = Json::array();
  for (const AddedMassCheck& a : fit.added_mass) added.push_back({{"name", a.name}, {"change", a.change}, {"std", a.std}});
  out["added_mass_check"] = std::move(added);
  out["asymmetry_K"] = fit.asymmetry_K ? Json(*fit.asymmetry_K) : Json(nullptr);
  out["records"] = Json::array();
  for (std::size_t i = 0; i < fit.decays.set.records.size(); ++i) {
    const DecayRecord& r = fit.decays.set.records[i];
    out["records"].push_back(
        {{"case", r.name}, {"config", r.config}, {"start_s", fit.decays.start_s[i]}, {"samples", r.samples.rows()}, {"interval_s", r.interval}});
  }
  out["averaged"] = fit.decays.average;
  out["iterations"] = fit.iterations;
  out["evaluations"] = fit.evaluations;
  out["seconds"] = fit.seconds;
  out["cost_history"] = fit.cost_history;
  return out;
}

Outcome run_plan(const VehicleJob& job) {
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
      if (it == names.end()) throw_bad_input("start." + name, fmt::format("there is no parameter {}", in_quotes(name)), suggest(name, names));
      for (const int m : vehicle_parameters(job.fit.symmetric)[static_cast<std::size_t>(it - names.begin())].members)
        *members[static_cast<std::size_t>(m)] = value;
      if (given == &job.fit.fixed && std::find(options.known.begin(), options.known.end(), name) == options.known.end())
        options.known.push_back(name);
    }
  const PlanResult plan = plan_test(vehicle, added.front(), job.fit.noise, options);
  Outcome outcome;
  Json& out = outcome.result;
  out["status"] = "done";
  out["reason"] = plan.recommended >= 0 ? "a test meets the target" : "no test that was tried meets the target";
  out["names"] = plan.names;
  out["noise"] = plan.noise;
  Json tests = Json::array();
  for (const PlannedTest& t : plan.tests) {
    const std::vector<double> half(t.half_interval_percent.data(), t.half_interval_percent.data() + t.half_interval_percent.size());
    tests.push_back({{"cases", t.cases},
                     {"mass_factor", t.mass_factor},
                     {"length_s", t.length_s},
                     {"half_interval_percent", half},
                     {"worst_percent", t.worst_percent},
                     {"worst", t.worst_name},
                     {"meets_target", t.meets}});
  }
  out["tests"] = std::move(tests);
  out["recommended"] = plan.recommended >= 0 ? Json(plan.recommended) : Json(nullptr);
  out["best"] = plan.best;
  const auto describe = [&](int index) {
    const PlannedTest& t = plan.tests[static_cast<std::size_t>(index)];
    return fmt::format("{} with {:g} x the added mass, {:g} s each: all parameters to {:.2g} % ({} is the least certain)", join(t.cases, " + "),
                       t.mass_factor, t.length_s, t.worst_percent, t.worst_name);
  };
  outcome.text = plan.recommended >= 0 ? fmt::format("least effort for {:g} %: {}\n", options.target_percent, describe(plan.recommended))
                                       : fmt::format("no test meets {:g} %\n", options.target_percent);
  outcome.text += fmt::format("most accurate:    {}\n", describe(plan.best));
  to_json_fields(job, out["options_used"]);
  out["findings"] = Json::array();
  outcome.document = plan_report(job.title.empty() ? "Plan of a bump test" : job.title, plan, options, added.front());
  return outcome;
}

}  // namespace

Outcome vehicle_job(const VehicleJob& job, Progress& progress) {
  if (job.plan) return run_plan(job);
  if (job.data.empty()) throw_bad_input("data", "there are no decays", "give the files with the measured decays, or --plan to plan a test");
  DecayFileOptions reading;
  reading.sample_interval_s = job.sample_interval_s;
  reading.quantity = job.quantity;
  if (!job.units.is_object()) throw_bad_input("units", "must be an object of channel and unit", R"(write {"zs": "g"})");
  for (const auto& [channel, unit] : job.units.items()) {
    if (!unit.is_string()) throw_bad_input("units." + channel, "the unit must be text", R"(write for example "m/s^2")");
    reading.units[channel] = unit.get<std::string>();
  }
  progress.report(0.0, "reading");
  DecayFiles files = read_decay_files(job.data, job.data_loaded, reading);
  files.set.added = added_masses(job.added_mass);
  VehicleFitResult fit = identify_vehicle(files.set, job.fit, progress);
  fit.findings.insert(fit.findings.begin(), files.findings.begin(), files.findings.end());

  Outcome outcome;
  outcome.complete = fit.status == "converged";
  for (const Source& source : files.sources) outcome.inputs.push_back(source_json(source));
  Json& out = outcome.result;
  out["status"] = fit.status;
  out["reason"] = fit.reason;
  out["parameters"] = parameters_json(fit.parameters);
  Json matrix = Json::array();
  for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i)
    matrix.push_back(std::vector<double>(fit.correlation.row(i).begin(), fit.correlation.row(i).end()));
  out["correlation"] = {{"names", fit.correlation_names}, {"matrix", std::move(matrix)}};
  out["not_told_apart"] = fit.not_told_apart;
  out["modes"] = Json::array();
  for (const VehicleModes& modes : fit.modes) out["modes"].push_back(modes_json(modes));
  for (const auto& [name, values] : fit.other_methods) {
    const std::vector<std::string> names = parameter_names(job.fit.symmetric);
    for (std::size_t i = 0; i < names.size(); ++i) out["other_methods"][name][names[i]] = values[static_cast<Eigen::Index>(i)];
  }
  out["fit"] = fit_json(fit);
  out["findings"] = to_json(fit.findings);
  to_json_fields(job, out["options_used"]);
  outcome.text =
      fmt::format("status: {} ({}); {} records, fitted in {:.3g} ms\n", fit.status, fit.reason, fit.decays.set.records.size(), 1e3 * fit.seconds) +
      parameter_text(fit.parameters);
  outcome.text += findings_text(fit.findings);
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.data.front()).stem().string();
  outcome.document = vehicle_report(title, fit, job.fit.symmetric);
  return outcome;
}

}  // namespace kdyn::app
