// SPDX-License-Identifier: Apache-2.0
// Property files of other tools as model files of kdyn: one for each direction, and one bushing of all of them.
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/exchange/exchange_outputs.hpp"
#include "kdyn/app/exchange/property_models.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/mbs/foreign_model.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const ImportJob*) {
  using J = app::ImportJob;
  static const FieldTable table = FieldTable::of<J>("import", [](FieldTable& t) {
    t.add(&J::file, "file", "-",
          "Property file: .ubf, .ubu, .bus or .gbs, an FMU of kdyn, or a multibody model: .adm or URDF")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::law, "law", "-",
          "Friction law of the models, masing or g4; empty takes what the file says (g4 when it says nothing)");
    t.add(&J::ignore, "ignore", "-", "Kinds of statements of a multibody model that are left out, such as CONTACT")
        .unless_empty();
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

// The word in "model", once the model has been read as the rig would read it.
std::string law_or_bushing(const Json& model, const std::string& where) {
  image_of_model(model, where);
  return model["model"].get<std::string>();
}

void add_parameters(report::Section& section, const std::string& direction, const Json& model) {
  report::Table table{.title = direction, .columns = {{"Parameter"}, {"Value", "SI"}}};
  const auto add = [&](const std::string& prefix, const Json& parameters) {
    for (const auto& [name, value] : parameters.items())
      if (value.is_number()) table.rows.push_back({{prefix + name, value.get<double>()}});
  };
  for (const char* part : {"main_rubber", "chamber_rubber"})
    if (model.contains(part)) add(std::string(part) + ".", model[part]["parameters"]);
  add("", model["parameters"]);
  section.add(std::move(table));
}

// The model file that an FMU of kdyn carries.
Outcome import_fmu(const ImportJob& job, const std::string& bytes) {
  if (!job.law.empty()) throw_bad_input("law", "an FMU holds one law", "leave this option out");
  const Json model = parse_json(model_in_fmu(bytes, job.file), job.file + ": resources/model.json");
  const std::string kind = law_or_bushing(model, job.file);
  const std::string stem = std::filesystem::path(job.file).stem().string(), name = stem + ".json";
  Outcome outcome;
  outcome.files.push_back({name, dump_json(model)});
  to_json_fields(ImportOutput{"fmu", {{name, "", kind}}}, outcome.result);
  outcome.text = fmt::format("{}: {}\n", name, kind);
  outcome.inputs.push_back({job.file, sha256(bytes), {}});
  outcome.document = report::Document{.title = "Imported " + stem, .subtitle = job.file};
  outcome.document->section("Model", "The model file that the FMU carries.")
      .add(report::Details(name, outcome.files.back().content));
  return outcome;
}

// A deck of another multibody program as model file of kdyn.
Outcome import_system(const ImportJob& job, const std::string& content) {
  if (!job.law.empty()) throw_bad_input("law", "a multibody model has laws of its own", "leave this option out");
  const mbs::ForeignModel foreign = mbs::model_json_of(content, job.file, job.ignore);
  // As simulate would read it: what it says about the model belongs to the import.
  const mbs::ModelFile read = mbs::model_from_json(foreign.model, job.file);
  const bool adams = mbs::foreign_format(content) == mbs::ForeignFormat::adams;
  const std::string stem = std::filesystem::path(job.file).stem().string(), name = stem + ".json";
  Outcome outcome;
  outcome.files.push_back({name, dump_json(foreign.model)});
  ImportOutput output{adams ? "adams" : "urdf", {{name, "", "multibody"}}};
  output.findings = foreign.findings;
  output.findings.insert(output.findings.end(), read.findings.begin(), read.findings.end());
  const mbs::Model& model = read.model;
  outcome.text = fmt::format("{}: {} bodies, {} joints, {} bushings and springs, {} loads\n", name, model.bodies.size(),
                             model.joints.size(), model.connections.size(), model.loads.size());
  outcome.text += findings_text(output.findings);
  outcome.inputs.push_back({job.file, sha256(content), {}});
  report::Document document{.title = "Imported " + stem, .subtitle = job.file};
  document.section("Findings").add(report::Findings{output.findings});
  document.section("Model", "SI units; kdyn simulate runs it.")
      .add(report::Details(name, outcome.files.back().content));
  to_json_fields(output, outcome.result);
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace

Outcome import_models(const ImportJob& job, Progress&) {
  if (!job.law.empty() && job.law != "masing" && job.law != "g4")
    throw_bad_input("law", fmt::format("unknown law {}", in_quotes(job.law)), suggest(job.law, {"masing", "g4"}));
  if (const std::string bytes = read_text(job.file); bytes.rfind("PK\x03\x04", 0) == 0)
    return import_fmu(job, bytes);
  else if (mbs::foreign_format(bytes) != mbs::ForeignFormat::none)
    return import_system(job, bytes);
  if (!job.ignore.empty())
    throw_bad_input("ignore", "a property file has no statements to leave out", "leave this option out");
  const Exchange exchange = read_exchange(job.file);
  if (!exchange.mount && !exchange.bushing) {
    const bool told = !exchange.findings.empty() && exchange.format.empty();
    throw_bad_input(job.file,
                    told ? exchange.findings.back().message
                         : fmt::format("this is no property file of a mount; it holds {}", exchange.kind()),
                    "give a .ubf, .ubu, .bus or .gbs file");
  }
  Outcome outcome;
  std::vector<Finding> findings = exchange.findings;
  const PropertyModels models = property_models(exchange, job.law, findings);
  if (models.empty()) {
    const bool told = !findings.empty();
    throw_bad_input(told ? findings.back().where : job.file,
                    told ? findings.back().message : "no direction holds a spring",
                    told ? findings.back().remedy : "check the file");
  }
  const std::string stem = std::filesystem::path(job.file).stem().string();
  report::Document document{.title = "Imported " + stem, .subtitle = job.file};
  report::Section& section =
      document.section("Parameters", "SI units; one model file for each direction and one for the whole bushing.");
  ImportOutput output{exchange.kind()};
  for (std::size_t d = 0; d < models.axes.size(); ++d) {
    if (!models.axes[d]) continue;
    Json model = *models.axes[d];
    const std::string direction = axis_names[d], name = fmt::format("{}_{}.json", stem, direction);
    add_parameters(section, direction, model);
    model["axis"] = direction;
    outcome.files.push_back({name, dump_json(model)});
    output.files.push_back({name, direction, model["model"].get<std::string>()});
    outcome.text += fmt::format("{}: {} in {}\n", name, output.files.back().model, direction);
    output.models.push_back({direction, {std::move(model)}});
  }
  const std::string whole = stem + "_bushing.json";
  output.bushing = ModelObject{bushing_model(models)};
  outcome.files.push_back({whole, dump_json(output.bushing->json)});
  output.files.push_back({whole, "", "bushing"});
  outcome.text += fmt::format("{}: all directions as one bushing, coupling {}\n", whole, models.coupling);
  document.section("Findings").add(report::Findings{findings});
  outcome.text += findings_text(findings);
  output.findings = std::move(findings);
  to_json_fields(output, outcome.result);
  outcome.inputs.push_back({job.file, exchange.sha256, {}});
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
