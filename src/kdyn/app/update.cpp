// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/update_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::UpdateJob>() {
  using J = app::UpdateJob;
  static const FieldTable table = FieldTable::of<J>("update", [](FieldTable& t) {
    t.add(&J::job, "job", "-", "Job file: a JSON object with any of these fields; flags go before it. Its paths are relative to its folder")
        .from_words();
    t.add(&J::model, "model", "-", "FE model: a Nastran deck, or files with M, K and the derivatives dK_name, dM_name of the parameters");
    t.add(&J::data, "data", "-", "Measured frequency responses: universal files, HDF5, MAT or CSV");
    t.add(&J::parts, "parts", "-", "Several nominally identical parts: [{\"name\": \"S1\", \"data\": [\"s1.uff\"]}, ...]");
    t.add(&J::parameters, "parameters", "-",
          "What to calibrate: [{\"kind\": \"bushing\", \"labels\": [2000001]}, {\"name\": \"t\", \"kind\": \"thickness\", \"labels\": [1]}]");
    t.add(&J::groups, "groups", "-", "Limits of groups: {\"rotational\": {\"lower\": -0.6, \"upper\": 1.5, \"fixed\": false}}, relative changes");
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
  for (const char* key : {"model", "data"})
    if (out.contains(key)) resolve(out[key], folder);
  if (out.contains("parts") && out["parts"].is_array())
    for (Json& part : out["parts"])
      if (part.is_object() && part.contains("data")) resolve(part["data"], folder);
  for (const auto& [key, value] : options.items()) out[key] = value;
  return out;
}

std::vector<update::Part> read_parts(const UpdateJob& job, ModalInputs& inputs) {
  std::vector<std::pair<std::string, std::string>> channel_map;
  if (!job.channel_map.is_object()) throw_bad_input("channel_map", "must be an object of label and label", R"(write {"hub+Z": "1203+Z"})");
  for (const auto& [from, to] : job.channel_map.items()) {
    if (!to.is_string()) throw_bad_input("channel_map." + from, "the label must be text", R"(write "1203+Z")");
    channel_map.emplace_back(from, to.get<std::string>());
  }
  std::vector<update::Part> out;
  if (!job.data.empty()) {
    const std::string name = std::filesystem::path(job.data.front()).stem().string();
    out.push_back({name, read_responses(job.data, inputs), channel_map});
  }
  if (!job.parts.is_array()) throw_bad_input("parts", "must be a list of parts", R"(write [{"name": "S1", "data": ["s1.uff"]}])");
  for (std::size_t i = 0; i < job.parts.size(); ++i) {
    const Json& part = job.parts[i];
    std::vector<std::string> paths;
    if (part.is_object() && part.contains("data"))
      for (const Json& path : part["data"].is_array() ? part["data"] : Json::array({part["data"]}))
        if (path.is_string()) paths.push_back(path.get<std::string>());
    if (paths.empty()) throw_bad_input(fmt::format("parts[{}]", i), "it has no data", R"(write {"name": "S1", "data": ["s1.uff"]})");
    out.push_back({part.value("name", fmt::format("part {}", i + 1)), read_responses(paths, inputs), channel_map});
  }
  if (out.empty()) throw_bad_input("data", "there are no measured responses", "give data or parts, or --plan to plan the test");
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
  std::string out = fmt::format("{}: {} ({}); metric {:.3g} -> {:.3g}", part.name, part.status, part.reason, part.metric_before, part.metric);
  if (std::isfinite(part.validation_metric))
    out += fmt::format(", kept aside {:.3g} -> {:.3g}", part.validation_metric_before, part.validation_metric);
  out += fmt::format("; {} of {} starts agree; basis error {:.2g} %\n", part.starts.same_as_best, part.starts.runs.size(), 100.0 * part.basis_error);
  return out + parameter_text(part.parameters);
}

Outcome update_job(const UpdateJob& job, Progress& progress) {
  ModalInputs inputs;
  const update::FullModel model = read_full_model(job, inputs);
  if (job.plan) {
    Outcome outcome = plan_update(job, model, progress);
    outcome.inputs = inputs.inputs;
    return outcome;
  }
  ModalOptions identification;
  from_json_fields(identification, job.identification, "identification");
  const std::vector<update::Part> parts = read_parts(job, inputs);
  Json used;
  to_json_fields(job, used);
  Json key = used;
  key.erase("checkpoint");
  const update::UpdateResult result =
      update::run_update(model, parts, identification, job.updating, sha256(key.dump() + inputs.inputs.dump()), progress);

  Outcome outcome;
  outcome.inputs = inputs.inputs;
  outcome.complete = result.status == "converged";
  Json& out = outcome.result;
  out["status"] = result.status;
  out["reason"] = result.reason;
  std::vector<Finding> findings = inputs.findings;
  findings.insert(findings.end(), result.findings.begin(), result.findings.end());
  if (result.parts.empty()) {
    out["findings"] = to_json(findings);
    return outcome;
  }
  const Json first = part_json(result.parts.front(), model);
  out["parameters"] = first["parameters"];
  out["metric"] = first["metric"];
  out["parts"] = Json::array();
  for (const update::PartResult& part : result.parts) out["parts"].push_back(part_json(part, model)), outcome.text += part_text(part);
  update::Population population;
  const bool several = result.parts.size() > 1;
  if (several) population = update::compare_parts(model, result.parts), out["population"] = population_json(population);
  out["findings"] = to_json(findings);
  out["options_used"] = std::move(used);
  outcome.text += findings_text(findings);
  outcome.document = update_report(job.title.empty() ? std::filesystem::path(job.model.front()).stem().string() : job.title, model, result,
                                   several ? &population : nullptr);
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
  out["metric"] = {{"calibration", part.metric},
                   {"validation", part.validation_metric},
                   {"calibration_nominal", part.metric_before},
                   {"validation_nominal", part.validation_metric_before},
                   {"definition", "mean |log10(H/H_X)|^2, principal value of the ratio"},
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
