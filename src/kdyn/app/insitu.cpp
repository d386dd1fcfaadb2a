// SPDX-License-Identifier: Apache-2.0
// kdyn insitu: multibody models and measured signals in, parameters of their mounts out.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/multibody_jobs.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/modes/flexible_body.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::InsituJob>() {
  using J = app::InsituJob;
  static const FieldTable table = FieldTable::of<J>("insitu", [](FieldTable& t) {
    t.add(&J::job, "job", "-", "Multibody model file, or a JSON file with the fields below").from_words();
    t.add(&J::model, "model", "-", "Multibody model file, when the first word is a job file");
    t.add(&J::data, "data", "-", "Measured signals: delimited text with a time column, one file for each experiment");
    t.add(&J::signals, "signals", "-",
          "Signals to compare, by the names kdyn simulate gives them: m2.position.x, frame.acceleration.z, left.fz.load");
    t.add(&J::columns, "columns", "-", "Columns of the data, where they are not named as the signals: {\"frame.acceleration.z\": \"Ch 3\"}");
    t.add(&J::experiments, "experiments", "-",
          "Experiments that differ in more than their data: [{\"name\", \"data\", \"model\", \"signals\", \"columns\", \"loads\", \"gravity\", "
          "\"run\"}]");
    t.add(&J::start, "start", "-", "Free parameters and their start values: left.fz.stiffness=2e5, engine.mass=200, left.position.x=0");
    t.add(&J::priors, "priors", "-",
          "What is known before: [{\"bench\": \"fit/result.json\", \"axis\": \"left.fz\", \"widen\": 1}, {\"parameter\", \"value\", "
          "\"relative_std\"}]");
    t.add(&J::resume, "resume", "-", "result.json of an earlier run: go on where it ended");
    t.add(&J::step_s, "step_s", "s", "Time step instead of the model's").above(0.0);
    t.add(&J::duration_s, "duration_s", "s", "Duration instead of the model's").above(0.0);
    t.add(&J::title, "title", "-", "Title of the report; by default that of the model");
    t.include(&J::fit, field_table<InsituOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

using namespace mbs;

std::vector<std::string> names_of(const InsituInputs& inputs) {
  std::vector<std::string> names;
  for (const InsituParameter& p : inputs.parameters) names.push_back(p.name);
  return names;
}

Json gradient_json(const InsituInputs& inputs, const InsituGradientCheck& check) {
  Json out = {{"done", check.done}};
  if (!check.done) return out;
  out["adjoint_forward"] = check.adjoint_forward;
  out["adjoint_differences"] = check.adjoint_differences;
  out["meaning"] =
      "derivative of the objective by the logarithm of each parameter at the start (of places: by centimetres or hundredths of a radian); "
      "differences over the largest component";
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    out["gradient"][inputs.parameters[i].name] = {
        {"adjoint", check.adjoint[k]}, {"forward", check.forward[k]}, {"differences", check.differences[k]}};
  }
  return out;
}

Json identifiability_json(const InsituInputs& inputs, const InsituIdentifiability& of) {
  // Of places the standard deviation itself, in their unit: relative to a value near zero it would say nothing.
  Json relative = Json::object(), places = Json::object();
  for (Eigen::Index i = 0; i < of.std.size(); ++i) {
    const InsituParameter& p = inputs.parameters[static_cast<std::size_t>(i)];
    (p.scale > 0.0 ? places : relative)[p.name] = p.scale > 0.0 ? p.scale * of.std[i] : of.std[i];
  }
  Json out = {{"noise", of.noise}, {"relative_std", std::move(relative)}, {"condition", of.condition}, {"weak", of.weak}};
  if (!places.empty()) out["std"] = std::move(places);
  return out;
}

Json history_json(const InsituInputs& inputs, const InsituResult& result) {
  Json out = Json::array();
  for (const auto* part : {&inputs.earlier, &result.history})
    for (const InsituIteration& i : *part) out.push_back({{"objective", i.objective}, {"values", i.values}, {"evaluations", i.evaluations}});
  return out;
}

// The result is to be moved as one folder: files that the model reads are copied beside it, each once. What a model merely mentions, in a
// comment for example, stays where it is: it may be anything on this machine.
class Copies {
 public:
  Copies(std::filesystem::path folder, const std::vector<std::string>& read, std::vector<OutputFile>& files)
      : folder_(std::move(folder)),
        read_(read),
        files_(files) {}

  void take(Json& part) {
    if (part.is_object() && part.contains("file") && part["file"].is_string()) {
      const std::filesystem::path path = folder_ / part["file"].get<std::string>();
      if (std::find(read_.begin(), read_.end(), path.string()) != read_.end()) part["file"] = copied(path);
    }
    if (part.is_structured())
      for (Json& inner : part) take(inner);
  }

 private:
  std::string copied(const std::filesystem::path& from) {
    const std::string path = std::filesystem::absolute(from).lexically_normal().string();
    const auto known = names_.find(path);
    if (known != names_.end()) return known->second;
    // Two files of one name from two folders stay apart, and none takes the place of a result.
    std::string name = "model_" + from.filename().string();
    for (int i = 2; std::any_of(files_.begin(), files_.end(), [&](const OutputFile& f) { return f.name == name; }); ++i)
      name = fmt::format("model_{}_{}", i, from.filename().string());
    files_.push_back({name, read_text(path)});
    names_[path] = name;
    return name;
  }

  std::filesystem::path folder_;
  const std::vector<std::string>& read_;
  std::vector<OutputFile>& files_;
  std::map<std::string, std::string> names_;
};

// The model with the values that were found: what kdyn simulate runs next.
std::string identified_model(const InsituInputs& inputs, const InsituResult& result, std::vector<OutputFile>& files) {
  Json model = inputs.model;
  Model found = inputs.experiments.front().model;
  clone_laws(found);
  System system(found);
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) set_parameter(system, inputs.parameters[i].in.front(), result.parameters[i].value);
  const std::size_t bushings = model.contains("bushings") ? model["bushings"].size() : 0;
  std::vector<bool> changed(system.axes().size(), false);
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) {
    const Parameter& p = inputs.parameters[i].in.front();
    const auto index = static_cast<std::size_t>(p.index);
    if (p.kind == Parameter::Kind::law) changed[index] = true;
    if (p.kind == Parameter::Kind::mass) model["bodies"][index]["mass"] = result.parameters[i].value;
    if (p.kind != Parameter::Kind::position && p.kind != Parameter::Kind::orientation) continue;
    const Connection& c = system.model().connections[index];
    const auto numbers = [](const Vector3& v) { return Json::array({v.x(), v.y(), v.z()}); };
    Json& bushing = model["bushings"][index];
    bushing["shift"] = numbers(c.shift);
    bushing["turn"] = numbers(c.turn);
    bushing["marker_shift"] = Json::array({numbers(c.marker_shift[0]), numbers(c.marker_shift[1])});
  }
  // A bushing model stands with its laws one by one: some of them changed. One with a place stays a bushing model.
  for (std::size_t c = 0; c < bushings; ++c) {
    Json& bushing = model["bushings"][c];
    if (bushing["laws"].is_object() && !bushing["laws"].contains("model")) continue;
    bushing["laws"] = Json::object();
    const Connection& of = found.connections[c];
    Json& holder = of.place.given() ? bushing["laws"] : bushing;
    holder["coupling"] = coupling_names[static_cast<std::size_t>(of.coupling)];
    if (!of.place.given()) continue;
    if (bushing.contains("coupling")) bushing.erase("coupling");
    holder["model"] = "bushing";
    place_json(of.place, holder);
  }
  // Laws that changed, and laws that stand in files of their own.
  constexpr std::array<const char*, 6> axes = {"fx", "fy", "fz", "tx", "ty", "tz"};
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const Axis& axis = system.axes()[a];
    const auto c = static_cast<std::size_t>(axis.connection);
    const auto of_bushing = [&]() -> Json& {
      Json& laws = model["bushings"][c]["laws"];
      return (laws.contains("model") ? laws["axes"] : laws)[axes[static_cast<std::size_t>(axis.component)]];
    };
    Json& place = c < bushings ? of_bushing() : model["springs"][c - bushings]["law"];
    if (!changed[a] && place.is_object()) continue;
    Json law;
    axis.law->to_json(law);
    place = std::move(law);
  }
  Copies(inputs.model_folder, inputs.model_files, files).take(model);
  return dump_json(model);
}

}  // namespace

Outcome insitu_job(const InsituJob& given, Progress& progress) {
  progress.report(0.0, "reading");
  const InsituInputs inputs = read_insitu(given);
  const InsituJob& job = inputs.job;
  const InsituResult result = identify_in_situ(inputs.experiments, inputs.parameters, inputs.priors, job.fit, progress);

  Outcome outcome;
  outcome.inputs = inputs.sources;
  outcome.complete = result.status == "converged";
  std::vector<Finding> findings = inputs.findings;
  findings.insert(findings.end(), result.findings.begin(), result.findings.end());
  Json& out = outcome.result;
  out["status"] = result.status;
  out["reason"] = result.reason;
  out["parameters"] = parameters_json(result.parameters);
  out["gradient_check"] = gradient_json(inputs, result.gradient_check);
  out["misfit"] = result.misfit;
  out["noise"] = result.noise;
  Json experiments = Json::array();
  for (std::size_t e = 0; e < inputs.experiments.size(); ++e) {
    Json signals = Json::object();
    for (std::size_t j = 0; e < result.misfits.size() && j < inputs.experiments[e].signals.size(); ++j)
      signals[inputs.experiments[e].signals[j]] = result.misfits[e][j];
    experiments.push_back({{"name", inputs.experiments[e].name}, {"misfit", std::move(signals)}});
  }
  out["experiments"] = std::move(experiments);
  out["correlation"] = {{"names", names_of(inputs)}, {"matrix", rows_json(result.after.correlation)}};
  out["identifiability"] = {{"before", identifiability_json(inputs, result.before)}, {"after", identifiability_json(inputs, result.after)}};
  out["history"] = history_json(inputs, result);
  out["evaluations"] = result.evaluations;
  Json starts = Json::array();
  for (const InsituStart& s : result.starts)
    starts.push_back({{"start", s.start}, {"end", s.end}, {"objective", s.objective}, {"iterations", s.iterations}, {"status", s.status}});
  out["starts"] = std::move(starts);
  out["findings"] = to_json(findings);
  to_json_fields(job, out["options_used"]);
  if (!result.parameters.empty()) {
    const std::string model = identified_model(inputs, result, outcome.files);
    outcome.files.insert(outcome.files.begin(), {"model.json", model});
    for (const OutputFile& file : outcome.files) out["files"].push_back(file.name);
  }
  outcome.text = fmt::format("status: {}{}; misfit {:.3g} % of the signals in {} runs\n", result.status,
                             result.reason.empty() ? "" : " (" + result.reason + ")", 100.0 * result.misfit, result.evaluations);
  if (result.gradient_check.done)
    outcome.text += fmt::format("gradient: adjoint against direct sensitivity {:.1e}, against central differences {:.1e}\n",
                                result.gradient_check.adjoint_forward, result.gradient_check.adjoint_differences);
  outcome.text += parameter_text(result.parameters);
  outcome.text += findings_text(findings);
  outcome.document = insitu_report(inputs, result);
  return outcome;
}

}  // namespace kdyn::app
