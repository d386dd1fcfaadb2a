// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/update_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/progress_part.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const UpdateJob*) {
  using J = app::UpdateJob;
  static const FieldTable table = FieldTable::of<J>("update", [](FieldTable& t) {
    t.add(&J::job, "job", "-", "Job file: a JSON object with any of these fields; flags go before it. Its paths are relative to its folder")
        .from_words();
    t.add(&J::model, "model", "-", "FE model: a Nastran deck, or files with M, K and the derivatives dK_name, dM_name of the parameters");
    t.add(&J::data, "data", "-", "Measured frequency responses: universal files, HDF5, MAT or CSV");
    t.add(&J::parts, "parts", "-", "Several nominally identical parts: [{\"name\": \"S1\", \"data\": [\"s1.uff\"]}, ...]");
    t.add(&J::configurations, "configurations", "-",
          "Several models or tests in one report, each with fields that replace those of the job: [{\"name\": \"mass loaded\", \"model\": [...]}, "
          "...]");
    t.add(&J::parameters, "parameters", "-",
          "What to calibrate: [{\"kind\": \"bushing\", \"labels\": [2000001]}, {\"name\": \"t\", \"kind\": \"thickness\", \"labels\": [1]}]");
    t.add(&J::groups, "groups", "-", "Limits of groups: {\"rotational\": {\"lower\": -0.6, \"upper\": 1.5, \"fixed\": false}}, relative changes");
    t.add(&J::equalised, "equalised", "-",
          "Responses that have one damping ratio for all modes already; identification is skipped: [{\"damping\": 0.02, \"data\": [\"frf.uff\"]}]");
    t.add(&J::directions, "directions", "-",
          "Directions that labels do not tell: {\"12+Z\": [0, 0.6, 0.8]} in global axes, or {\"12\": 5} along the axes of a coordinate system of the "
          "deck");
    t.add(&J::channel_map, "channel_map", "-", "Names in the data and in the model, where they differ: {\"hub+Z\": \"1203+Z\"}");
    t.add(&J::identification, "identification", "-", "Options of kdyn modal for the identification of the responses");
    t.add(&J::length_m, "length_m", "m", "One unit of length of the deck").above(0.0);
    t.add(&J::mass_kg, "mass_kg", "kg", "One unit of mass of the deck").above(0.0);
    t.add(&J::title, "title", "-", "Title of the report");
    t.include(&J::updating, field_table<update::UpdateOptions>());
    t.add(&J::plan, "plan", "-", "Plan the test instead: sensors, lines, and what it would determine");
    t.add(&J::candidates, "candidates", "-", "Plan: motions that can be measured, 12+Z, or 12 for all three; by default all points");
    t.add(&J::inputs, "inputs", "-", "Plan: where forces can act, 12+Z; by default the three best sensors");
    t.add(&J::sensors, "sensors", "-", "Plan: how many motions to measure; 0: twice the modes in the band").range(0, 10000);
    t.add(&J::noise_percent, "noise_percent", "%", "Plan: noise expected, of the mean response of a channel").above(0.0);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

std::vector<double> numbers(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

// Paths of a job file are meant from its folder.
void resolve(Json& paths, const std::filesystem::path& folder) {
  if (paths.is_string()) paths = Json::array({paths});
  if (!paths.is_array()) return;
  for (Json& path : paths)
    if (path.is_string() && !std::filesystem::path(path.get<std::string>()).is_absolute())
      path = (folder / path.get<std::string>()).lexically_normal().string();
}

Json with_job_file(const Json& options) {
  if (!options.contains("job") || !options["job"].is_string()) return options;
  const std::string path = options["job"].get<std::string>();
  Json out = read_json(path);
  if (!out.is_object())
    throw_bad_input(path, "a job file must be a JSON object", R"(write {"model": ["frame.bdf"], "data": ["frf.uff"], "parameters": [...]})");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto resolve_within = [&](Json& one) {  // a part, or equalised responses of one damping
    if (one.contains("data")) resolve(one["data"], folder);
    if (one.contains("equalised") && one["equalised"].is_array())
      for (Json& given : one["equalised"])
        if (given.is_object() && given.contains("data")) resolve(given["data"], folder);
  };
  const auto resolve_all = [&](Json& fields) {
    for (const char* key : {"model", "data"})
      if (fields.contains(key)) resolve(fields[key], folder);
    for (const char* key : {"parts", "equalised"})
      if (fields.contains(key) && fields[key].is_array())
        for (Json& one : fields[key])
          if (one.is_object()) resolve_within(one);
  };
  resolve_all(out);
  if (out.contains("configurations") && out["configurations"].is_array())
    for (Json& one : out["configurations"])
      if (one.is_object()) resolve_all(one);
  for (const auto& [key, value] : options.items()) out[key] = value;
  return out;
}

Json modes_json(const update::PartResult& part) {
  Json out = Json::array();
  for (const update::ModePair& pair : part.pairs_after.pairs) {
    Json row = {{"test_hz", part.test.frequency_hz[pair.test]}, {"test_damping", part.test.damping[pair.test]}};
    const auto before =
        std::find_if(part.pairs_before.pairs.begin(), part.pairs_before.pairs.end(), [&](const auto& p) { return p.test == pair.test; });
    const bool known = before != part.pairs_before.pairs.end();
    row["before_hz"] = known ? Json(part.before.frequency_hz[before->model]) : Json(nullptr);
    row["before_mac"] = known ? Json(before->mac) : Json(nullptr);
    row["after_hz"] = part.after.frequency_hz[pair.model];
    row["after_mac"] = pair.mac;
    row["after_moc"] = pair.moc;
    out.push_back(std::move(row));
  }
  return out;
}

Json gate_json(const update::Gate& gate, const update::FullModel& model) {
  Json out;
  for (std::size_t s = 0; s < model.parameters.size(); ++s)
    out["parameters"][model.parameters[s].name] = {{"predicted_std", gate.std[static_cast<Eigen::Index>(s)]},
                                                   {"verdict", update::to_string(gate.verdict[s])}};
  out["not_determined"] = Json::array();
  for (const update::Direction& d : gate.loose) out["not_determined"].push_back({{"direction", d.words}, {"predicted_std", d.std}});
  return out;
}

Json population_json(const update::Population& population) {
  Json out;
  for (const update::ParameterSpread& p : population.parameters)
    out["parameters"][p.name] = {{"mean", p.mean},           {"mean_std", p.mean_std},       {"unit", p.unit},      {"observed_std", p.observed_std},
                                 {"noise_std", p.noise_std}, {"between_std", p.between_std}, {"p_value", p.p_value}};
  out["cross_metric"] = Json::array();
  for (Eigen::Index i = 0; i < population.cross_metric.rows(); ++i)
    out["cross_metric"].push_back(numbers(population.cross_metric.row(i).transpose()));
  out["nominal_metric"] = numbers(population.nominal_metric);
  return out;
}

std::string part_text(const update::PartResult& part) {
  std::string out = fmt::format("{}: {} ({}); metric {:.3g} -> {:.3g}", part.name, part.status, part.reason, part.metric_before.calibration,
                                part.metric.calibration);
  if (std::isfinite(part.metric.validation))
    out += fmt::format(", kept aside {:.3g} -> {:.3g} ({:.2f} times that of the calibration over resolved samples)", part.metric_before.validation,
                       part.metric.validation, part.metric.resolved_validation / part.metric.resolved_calibration);
  out += fmt::format("; {} of {} starts agree; basis error {:.2g} %\n", part.starts.same_as_best, part.starts.runs.size(), 100.0 * part.basis_error);
  return out + parameter_text(part.parameters);
}

// The job itself, or one job for each of its configurations.
std::vector<std::pair<std::string, UpdateJob>> jobs_of(const UpdateJob& job) {
  if (!job.configurations.is_array())
    throw_bad_input("configurations", "must be a list", R"(write [{"name": "mass loaded", "model": ["loaded.bdf"], "parts": [...]}])");
  if (job.configurations.empty()) return {{"", job}};
  Json base;
  to_json_fields(job, base);
  base["configurations"] = Json::array();
  std::vector<std::pair<std::string, UpdateJob>> out;
  for (std::size_t i = 0; i < job.configurations.size(); ++i) {
    const std::string where = fmt::format("configurations[{}]", i);
    Json one = job.configurations[i];
    if (!one.is_object() || !one.value("name", Json()).is_string())
      throw_bad_input(where, "a configuration is an object with a name", R"(write {"name": "mass loaded", "model": ["loaded.bdf"]})");
    const std::string name = one["name"].get<std::string>();
    one.erase("name");
    if (one.contains("configurations")) throw_bad_input(where, "it has configurations of its own", "list all of them in the job");
    Json fields = base;
    // Own responses stand instead of those of the job, whichever way either names them.
    if (one.contains("data") || one.contains("parts") || one.contains("equalised"))
      for (const char* key : {"data", "parts", "equalised"}) fields[key] = Json::array();
    for (const auto& [key, value] : one.items()) fields[key] = value;
    UpdateJob configured;
    from_json_fields(configured, fields, where);
    if (!configured.updating.checkpoint.empty()) configured.updating.checkpoint += fmt::format("/configuration_{}", i + 1);
    out.emplace_back(name, std::move(configured));
  }
  return out;
}

// Weighed masses of the parts, in the order of read_parts.
std::vector<double> weighed(const UpdateJob& job) {
  std::vector<double> out(job.data.empty() && job.equalised.empty() ? 0 : 1, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < job.parts.size(); ++i) {
    const Json value = job.parts[i].value("weighed_kg", Json());
    if (!value.is_null() && !(value.is_number() && value.get<double>() > 0.0))
      throw_bad_input(fmt::format("parts[{}].weighed_kg", i), fmt::format("{} is no mass", value.dump()), "write a number of kg");
    out.push_back(value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

UpdateCase run_case(const std::string& name, const UpdateJob& job, ModalInputs& inputs, Progress& progress) {
  UpdateCase out;
  out.name = name;
  ModalInputs own;
  std::vector<CoordinateSystem> systems;
  out.model = read_full_model(job, own, &systems);
  ModalOptions identification;
  from_json_fields(identification, job.identification, "identification");
  const std::vector<update::Part> parts = read_parts(job, out.model, systems, own);
  out.weighed_kg = weighed(job);
  Json key;
  to_json_fields(job, key);
  key.erase("checkpoint");
  out.result = update::run_update(out.model, parts, identification, job.updating, sha256(key.dump() + own.inputs.dump()), progress);
  if (out.result.parts.size() > 1) out.population = update::compare_parts(out.model, out.result.parts);
  for (const Json& input : own.inputs) inputs.inputs.push_back(input);
  inputs.findings.insert(inputs.findings.end(), own.findings.begin(), own.findings.end());
  inputs.findings.insert(inputs.findings.end(), out.result.findings.begin(), out.result.findings.end());
  return out;
}

Json case_json(const UpdateCase& one) {
  Json out;
  out["status"] = one.result.status;
  out["reason"] = one.result.reason;
  out["parts"] = Json::array();
  for (std::size_t k = 0; k < one.result.parts.size(); ++k) {
    out["parts"].push_back(part_json(one.result.parts[k], one.model));
    if (std::isfinite(one.weighed_kg[k])) out["parts"].back()["mass_kg"]["weighed"] = one.weighed_kg[k];
  }
  if (one.result.parts.size() > 1) out["population"] = population_json(one.population);
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
  Json& out = outcome.result;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto count = static_cast<double>(jobs.size());
    ProgressPart share(progress, static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
    cases.push_back(run_case(jobs[i].first, jobs[i].second, inputs, share));
    if (cases.back().result.status == "stopped") break;
  }
  outcome.inputs = inputs.inputs;
  outcome.complete = std::all_of(cases.begin(), cases.end(), [](const UpdateCase& one) { return one.result.status == "converged"; });
  const auto worst = std::find_if(cases.begin(), cases.end(), [](const UpdateCase& one) { return one.result.status != "converged"; });
  const update::UpdateResult& says = (worst != cases.end() ? *worst : cases.front()).result;
  out["status"] = says.status;
  out["reason"] = cases.size() > 1 && worst != cases.end() ? worst->name + ": " + says.reason : says.reason;
  const Json first = case_json(cases.front());
  if (!first["parts"].empty()) {
    out["parameters"] = first["parts"][0]["parameters"];
    out["metric"] = first["parts"][0]["metric"];
    out["parts"] = first["parts"];
    if (first.contains("population")) out["population"] = first["population"];
  }
  if (jobs.size() > 1) {
    out["configurations"] = Json::array();
    for (const UpdateCase& one : cases) {
      out["configurations"].push_back(case_json(one));
      out["configurations"].back()["name"] = one.name;
    }
  }
  for (const UpdateCase& one : cases) {
    if (!one.name.empty()) outcome.text += one.name + "\n";
    for (const update::PartResult& part : one.result.parts) outcome.text += part_text(part);
  }
  out["findings"] = to_json(inputs.findings);
  to_json_fields(job, out["options_used"]);
  outcome.text += findings_text(inputs.findings);
  if (!first["parts"].empty())
    outcome.document = update_report(job.title.empty() ? std::filesystem::path(jobs.front().second.model.front()).stem().string() : job.title, cases);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace

Json part_json(const update::PartResult& part, const update::FullModel& model) {
  Json out;
  out["name"] = part.name;
  out["status"] = part.status;
  out["reason"] = part.reason;
  out["parameters"] = parameters_json(part.parameters);
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    const update::ParameterSetting& p = model.parameters[s];
    Json& entry = out["parameters"][p.name];
    entry["nominal"] = p.nominal;
    entry["ratio"] = part.optimum.ratio[static_cast<Eigen::Index>(s)];
    entry["group"] = p.group;
    entry["identifiable"] = part.gate_at_optimum.verdict[s] == update::Verdict::determined;
  }
  const auto both = [](double calibration, double validation) { return Json{{"calibration", calibration}, {"validation", validation}}; };
  out["metric"] = {{"calibration", part.metric.calibration},
                   {"validation", part.metric.validation},
                   {"calibration_nominal", part.metric_before.calibration},
                   {"validation_nominal", part.metric_before.validation},
                   {"definition", "mean |log10(H/H_X)|^2, principal value of the ratio, all samples"},
                   {"resolved", both(part.metric.resolved_calibration, part.metric.resolved_validation)},
                   {"resolved_nominal", both(part.metric_before.resolved_calibration, part.metric_before.resolved_validation)},
                   {"resolved_definition", "the same over samples with |H_X| above three standard deviations of its noise"},
                   {"resolved_percent", part.resolved_percent},
                   {"noise", both(part.noise_metric.calibration, part.noise_metric.validation)},
                   {"resolved_noise", both(part.noise_metric.resolved_calibration, part.noise_metric.resolved_validation)},
                   {"damped_misfit", part.damped_misfit}};
  out["modes"] = modes_json(part);
  out["mass_kg"] = {{"before", part.mass_before}, {"after", part.mass_after}};
  out["gate"] = {{"before", gate_json(part.gate, model)}, {"at_optimum", gate_json(part.gate_at_optimum, model)}};
  out["suggestions"] = Json::array();
  for (const update::Suggestion& s : part.suggestions)
    out["suggestions"].push_back(
        {{"kind", s.kind}, {"where", s.label}, {"kg", s.kg}, {"parameter", s.parameter}, {"std_before", s.std_before}, {"std_after", s.std_after}});
  out["basis"] = {{"size", part.model.size()},
                  {"modes", part.basis_modes},
                  {"attachment_vectors", part.basis_attachments},
                  {"sensitivity_vectors", part.basis_sensitivities},
                  {"error_first", part.basis_error_nominal},
                  {"error", part.basis_error},
                  {"rebuilt", part.basis_rebuilt}};
  out["starts"] = Json::array();
  for (const update::Calibration& run : part.starts.runs)
    out["starts"].push_back(
        {{"metric", run.metric}, {"status", update::to_string(run.status)}, {"evaluations", run.evaluations}, {"ratio", numbers(run.ratio)}});
  out["same_as_best"] = part.starts.same_as_best;
  for (const update::UncertaintyMethod& method : part.uncertainty)
    out["uncertainty"][method.name] = {
        {"std_of_ratio", numbers(method.std)}, {"ratio_to_recalibration", method.to_reference}, {"measures", method.measures}};
  out["identified_modes"] = part.identified.modes.size();
  return out;
}

Operation update_operation() {
  Operation out =
      make_operation<UpdateJob>("update", "Calibrate a finite-element model by measured frequency responses, with its uncertainty; one part or many",
                                "kdyn update out/updating/job.json --out out/updated", &update_job,
                                {{"job", "Model and data"},
                                 {"band_hz", "Calibration"},
                                 {"basis_modes", "Reduced basis"},
                                 {"mac_limit", "Judgement and uncertainty"},
                                 {"plan", "Planning, with --plan"}});
  out.run = [run = out.run](const Json& options, Progress& progress) { return run(with_job_file(options), progress); };
  return out;
}

}  // namespace kdyn::app
