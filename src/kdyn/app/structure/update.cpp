// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/structure/update_output.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/progress_part.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const UpdateEqualised*) {
  using E = app::UpdateEqualised;
  static const FieldTable table = FieldTable::of<E>("equalised responses", [](FieldTable& t) {
    t.add(&E::damping, "damping", "-", "Damping ratio all modes have").above(0.0).must_be_given().upper = 0.7;
    t.add(&E::data, "data", "-", "Their files").reads();
  });
  return table;
}

const FieldTable& app::fields_of(const UpdatePart*) {
  using P = app::UpdatePart;
  static const FieldTable table = FieldTable::of<P>("part of update", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name of the part").unless_empty();
    t.add(&P::data, "data", "-", "Measured frequency responses").reads().unless_empty();
    t.add(&P::equalised, "equalised", "-", "Responses that are equalised already, instead of data").unless_empty();
    t.add(&P::weighed_kg, "weighed_kg", "kg", "Mass as weighed").above(0.0).unless_null();
    t.add(&P::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& app::fields_of(const UpdateLimits*) {
  using L = app::UpdateLimits;
  static const FieldTable table = FieldTable::of<L>("limits", [](FieldTable& t) {
    t.add(&L::lower, "lower", "-", "Smallest relative change, above -1: -0.6 allows 40 % of nominal")
        .above(-1.0)
        .unless_null();
    t.add(&L::upper, "upper", "-", "Largest relative change").unless_null();
    t.add(&L::fixed, "fixed", "-", "Keep it at its nominal value").unless_null();
    t.add(&L::known_percent, "known_percent", "%",
          "What is known beforehand, as from a bench: standard deviation of the nominal value (or of known_value)")
        .above(0.0)
        .unless_null();
  });
  return table;
}

const FieldTable& app::fields_of(const UpdateParameter*) {
  using P = app::UpdateParameter;
  static const FieldTable table = FieldTable::of<P>("parameter of update", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name; of bushings a prefix").unless_empty();
    t.add(
         &P::kind, "kind", "-",
         "What it is: all six stiffnesses of springs (bushing), one of them (spring), the loss factor of springs or of "
         "a material, or another property")
        .one_of({"matrix", "bushing", "thickness", "young", "density", "spring", "scalar_spring", "point_mass",
                 "loss_factor", "scalar_loss_factor", "material_loss_factor"});
    t.add(&P::labels, "labels", "-", "Elements, properties or materials of the deck").unless_empty();
    t.add(&P::component, "component", "-",
          "Of a spring: x y z rx ry rz, or 1 to 6; a loss factor without it is that of all six")
        .unless_null();
    t.add(&P::group, "group", "-", "Group for limits and phases; by default translational, rotational or the kind")
        .unless_empty();
    t.add(&P::unit, "unit", "-", "Of kind matrix: unit of the value").unless_empty();
    t.add(&P::nominal, "nominal", "as unit says",
          "Nominal value: of kind matrix, 1 by default; of a loss factor that the deck does not give, 0.1 by default")
        .unless_null();
    t.add(&P::known_value, "known_value", "as unit says",
          "Value known beforehand, as from a bench, with known_percent; by default the nominal one")
        .unless_null();
    t.include(&P::limits, field_table<app::UpdateLimits>());
    t.add(&P::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& app::fields_of(const UpdateJob*) {
  using J = app::UpdateJob;
  static const FieldTable table = FieldTable::of<J>("update", [](FieldTable& t) {
    t.add(&J::job, "job", "-",
          "Job file: a JSON object with any of these fields; what is said beside it overrides it. Its paths are "
          "relative to its folder")
        .from_words()
        .job_file();
    t.add(&J::model, "model", "-",
          "FE model: a Nastran deck, or files with M, K and the derivatives dK_name, dM_name of the parameters")
        .reads();
    t.add(&J::data, "data", "-", "Measured frequency responses: universal files, HDF5, MAT or CSV").reads();
    t.add(&J::parts, "parts", "-",
          "Several nominally identical parts: [{\"name\": \"S1\", \"data\": [\"s1.uff\"]}, ...]");
    t.add(&J::configurations, "configurations", "-",
          "Several models or tests in one report, each with fields that replace those of the job: [{\"name\": \"mass "
          "loaded\", \"model\": [...]}, "
          "...]")
        .like([]() -> const FieldTable* { return &field_table<app::UpdateJob>(); }, true);
    t.add(&J::parameters, "parameters", "-",
          "What to calibrate: [{\"kind\": \"bushing\", \"labels\": [2000001]}, {\"name\": \"t\", \"kind\": "
          "\"thickness\", \"labels\": [1]}]");
    t.add(&J::groups, "groups", "-",
          "Limits of groups: {\"rotational\": {\"lower\": -0.6, \"upper\": 1.5, \"fixed\": false}}, relative changes");
    t.add(&J::equalised, "equalised", "-",
          "Responses that have one damping ratio for all modes already; identification is skipped: [{\"damping\": "
          "0.02, \"data\": [\"frf.uff\"]}]");
    t.add(&J::directions, "directions", "-",
          "Directions that labels do not tell: {\"12+Z\": [0, 0.6, 0.8]} in global axes, or {\"12\": 5} along the axes "
          "of a coordinate system of the "
          "deck");
    t.add(&J::channel_map, "channel_map", "-",
          "Names in the data and in the model, where they differ: {\"hub+Z\": \"1203+Z\"}");
    t.add(&J::identification, "identification", "-", "Options of kdyn modal for the identification of the responses");
    t.add(&J::length_m, "length_m", "m", "One unit of length of the deck").above(0.0);
    t.add(&J::mass_kg, "mass_kg", "kg", "One unit of mass of the deck").above(0.0);
    t.add(&J::ignore_cards, "ignore_cards", "-",
          "Cards of a deck that are left out although they may carry stiffness, mass or links, such as CWELD CGAP");
    t.add(&J::title, "title", "-", "Title of the report");
    t.include(&J::updating, field_table<update::UpdateOptions>());
    t.add(
        &J::carry_over, "carry_over", "-",
        "Of configurations: parameters that an earlier one has found, by name, are known beforehand in this one, with "
        "their values and standard deviations");
    t.add(
        &J::write_deck, "write_deck", "-",
        "Write the deck with the calibrated parameters into the folder updated; only the cards that hold them change");
    t.add(&J::plan, "plan", "-", "Plan the test instead: sensors, lines, and what it would determine");
    t.add(&J::candidates, "candidates", "-",
          "Plan: motions that can be measured, 12+Z, or 12 for all three; by default all points");
    t.add(&J::inputs, "inputs", "-", "Plan: where forces can act, 12+Z; by default the three best sensors");
    t.add(&J::sensors, "sensors", "-", "Plan: how many motions to measure; 0: twice the modes in the band")
        .range(0, 10000);
    t.add(&J::noise_percent, "noise_percent", "%", "Plan: noise expected, of the mean response of a channel")
        .above(0.0);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

std::string part_text(const update::PartResult& part) {
  std::string out = fmt::format("{}: {} ({})\n", part.name, part.status, part.reason);
  if (std::isfinite(part.model_to_noise))
    out += fmt::format("  misfit of the model: {:.3g} times that of noise{}\n", part.model_to_noise,
                       part.model_to_noise > update::model_error_limit
                           ? ": it lacks something, no parameter counts as determined"
                           : "");
  if (part.finer_mesh.made())
    out += fmt::format("  with a mesh twice as fine: {:.3g} times\n", part.finer_mesh.model_to_noise);
  out += fmt::format("  metric {:.3g} -> {:.3g}", part.metric_before.calibration, part.metric.calibration);
  if (std::isfinite(part.metric.validation))
    out += fmt::format(
        ", validation channels {:.3g} -> {:.3g} ({:.2f} times that of the calibration over resolved samples)",
        part.metric_before.validation, part.metric.validation,
        part.metric.resolved_validation / part.metric.resolved_calibration);
  out += fmt::format("; {} of {} starts agree; basis error {:.2g} %\n", part.starts.same_as_best,
                     part.starts.runs.size(), 100.0 * part.basis_error);
  return out + parameter_text(part.parameters);
}

// The job itself, or one job for each of its configurations.
std::vector<std::pair<std::string, UpdateJob>> jobs_of(const UpdateJob& job) {
  if (!job.configurations.is_array())
    throw_bad_input("configurations", "must be a list",
                    R"(write [{"name": "mass loaded", "model": ["loaded.bdf"], "parts": [...]}])");
  if (job.configurations.empty()) return {{"", job}};
  std::vector<std::pair<std::string, UpdateJob>> out;
  for (std::size_t i = 0; i < job.configurations.size(); ++i) {
    const std::string where = fmt::format("configurations[{}]", i);
    Json one = job.configurations[i];
    if (!one.is_object() || !one.value("name", Json()).is_string())
      throw_bad_input(where, "a configuration is an object with a name",
                      R"(write {"name": "mass loaded", "model": ["loaded.bdf"]})");
    const std::string name = one["name"].get<std::string>();
    one.erase("name");
    if (one.contains("configurations"))
      throw_bad_input(where, "it has configurations of its own", "list all of them in the job");
    UpdateJob configured = job;
    configured.configurations = Json::array();
    // Own responses stand instead of those of the job, whichever way either names them.
    if (one.contains("data") || one.contains("parts") || one.contains("equalised")) {
      configured.data.clear();
      configured.parts.clear();
      configured.equalised.clear();
    }
    from_json_fields(configured, one, where);
    if (!configured.updating.checkpoint.empty())
      configured.updating.checkpoint += fmt::format("/configuration_{}", i + 1);
    out.emplace_back(name, std::move(configured));
  }
  return out;
}

// Weighed masses of the parts, in the order of read_parts.
std::vector<double> weighed(const UpdateJob& job) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> out(job.data.empty() && job.equalised.empty() ? 0 : 1, unknown);
  for (const UpdatePart& part : job.parts) out.push_back(part.weighed_kg.value_or(unknown));
  return out;
}

// [update E33] What earlier configurations found, unless the job says what is known; the latest one counts.
void carry_over(const std::vector<UpdateCase>& earlier, update::FullModel& model, const std::string& name,
                std::vector<Finding>& findings) {
  std::vector<std::string> taken;
  for (update::ParameterSetting& p : model.parameters) {
    if (p.fixed || p.prior_std > 0.0) continue;
    for (auto one = earlier.rbegin(); one != earlier.rend() && !(p.prior_std > 0.0); ++one)
      for (const update::PartResult& part : one->result.parts)
        for (const ParameterEstimate& e : part.parameters)
          if (e.name == p.name && e.status == ParameterStatus::free && std::isfinite(e.std) && e.std > 0.0 &&
              e.value * p.nominal > 0.0 && !(p.prior_std > 0.0)) {
            p.prior_value = e.value, p.prior_std = e.std / std::abs(p.nominal);
            taken.push_back(p.name);
          }
  }
  if (!taken.empty())
    findings.push_back({Severity::note, "carried_over", name,
                        fmt::format("known beforehand by an earlier configuration: {}", join(taken, ", ")), ""});
  else
    findings.push_back({Severity::warning, "carried_over", name,
                        "no earlier configuration has found one of its parameters: nothing is carried over",
                        "give parameters of several configurations the same names"});
}

UpdateCase run_case(const std::string& name, const UpdateJob& job, const std::vector<UpdateCase>& earlier,
                    ModalInputs& inputs, Progress& progress) {
  UpdateCase out;
  out.name = name;
  ModalInputs own;
  std::vector<CoordinateSystem> systems;
  out.model = read_full_model(job, own, &systems);
  if (job.carry_over && !earlier.empty()) carry_over(earlier, out.model, name, own.findings);
  const std::vector<update::Part> parts = read_parts(job, out.model, systems, own);
  out.weighed_kg = weighed(job);
  update::Checkpoint{job.updating.checkpoint, ""}.try_folder();
  Json key;
  to_json_fields(job, key);
  key.erase("checkpoint");
  std::string known;  // other knowledge, other results
  for (const update::ParameterSetting& p : out.model.parameters)
    if (p.prior_std > 0.0) known += fmt::format("{} {} {};", p.name, p.prior_value, p.prior_std);
  out.result = update::run_update(out.model, parts, job.identification, job.updating,
                                  sha256(key.dump() + known + described_json(own.inputs).dump()), progress);
  if (out.result.parts.size() > 1) out.population = update::compare_parts(out.model, out.result.parts);
  out.decks = updated_decks(job, out.model, out.result, name.empty() ? "updated" : "updated/" + file_name_of(name),
                            own.findings);
  inputs.inputs.insert(inputs.inputs.end(), own.inputs.begin(), own.inputs.end());
  inputs.findings.insert(inputs.findings.end(), own.findings.begin(), own.findings.end());
  inputs.findings.insert(inputs.findings.end(), out.result.findings.begin(), out.result.findings.end());
  return out;
}

Outcome update_job(const UpdateJob& job, Progress& progress) {
  ModalInputs inputs;
  if (job.plan) {
    const update::FullModel model = read_full_model(job, inputs);
    Outcome outcome = plan_update(job, model, progress);
    outcome.inputs = inputs.inputs;
    return outcome;
  }
  const auto jobs = jobs_of(job);
  std::vector<UpdateCase> cases;
  Outcome outcome;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto count = static_cast<double>(jobs.size());
    ProgressPart share(progress, static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
    cases.push_back(run_case(jobs[i].first, jobs[i].second, cases, inputs, share));
    if (cases.back().result.status == "stopped") break;
  }
  outcome.inputs = inputs.inputs;
  outcome.complete =
      std::all_of(cases.begin(), cases.end(), [](const UpdateCase& one) { return one.result.status == "converged"; });
  const auto worst =
      std::find_if(cases.begin(), cases.end(), [](const UpdateCase& one) { return one.result.status != "converged"; });
  const update::UpdateResult& says = (worst != cases.end() ? *worst : cases.front()).result;
  const std::string reason = cases.size() > 1 && worst != cases.end() ? worst->name + ": " + says.reason : says.reason;
  to_json_fields(UpdateOutput{job, says.status, reason, cases, jobs.size() > 1, inputs.findings}, outcome.result);
  for (const UpdateCase& one : cases) {
    if (!one.name.empty()) outcome.text += one.name + "\n";
    for (const update::PartResult& part : one.result.parts) outcome.text += part_text(part);
  }
  for (const UpdateCase& one : cases)
    for (const UpdatedDeckOfPart& deck : one.decks) {
      outcome.text += fmt::format("updated deck {}/{}: {} fields changed\n", deck.folder, deck.deck.files.front().first,
                                  deck.deck.changes.size());
      for (const auto& [file, text] : deck.deck.files) outcome.files.push_back({deck.folder + "/" + file, text});
    }
  outcome.text += findings_text(inputs.findings);
  if (!cases.front().result.parts.empty())
    outcome.document = update_report(
        job.title.empty() ? std::filesystem::path(jobs.front().second.model.front()).stem().string() : job.title,
        cases);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace

Operation update_operation() {
  Operation out = make_operation<UpdateJob, UpdateOutput, UpdatePlanOutput>(
      "update",
      "Calibrate a finite-element model by measured frequency responses, with its uncertainty; one part or many",
      "kdyn update out/updating/job.json --out out/updated", &update_job,
      {{"job", "Model and data"},
       {"band_hz", "Calibration"},
       {"basis_modes", "Reduced basis"},
       {"mac_limit", "Judgement and uncertainty"},
       {"plan", "Planning of a test"}});
  out.run = [run = out.run](const Json& options, Progress& progress) {
    return run(with_job_file(field_table<UpdateJob>(), options), progress);
  };
  return out;
}

}  // namespace kdyn::app
