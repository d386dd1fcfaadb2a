// SPDX-License-Identifier: Apache-2.0
// Property files of other tools as model files of kdyn, one for each direction.
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/exchange_jobs.hpp"
#include "kdyn/app/mount_files.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/laws/registry.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::ImportJob>() {
  using J = app::ImportJob;
  static const FieldTable table = FieldTable::of<J>("import", [](FieldTable& t) {
    t.add(&J::file, "file", "-", "Property file: .ubf, .ubu, .bus or .gbs, or an FMU of kdyn").from_words().must_be_given();
    t.add(&J::law, "law", "-", "Friction law of the models, masing or g4; empty takes what the file says (g4 when it says nothing)");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

struct Imported {
  std::string direction;
  Json model;
};

void set_law(Json& model, const std::string& law) {
  for (const char* part : {"main_rubber", "chamber_rubber"})
    if (model.contains(part)) model[part]["law"] = law;
  if (model["model"] == "elastomer") model["law"] = law;
}

// The word in "model", once the model has been read as the rig would read it.
std::string law_or_bushing(const Json& model, const std::string& where) {
  image_of_model(model, where);
  return model["model"].get<std::string>();
}

// A rubber that the law refuses is a finding, not a file that fails later.
void check_rubber(const Json& model, const std::string& where) {
  if (model["model"] == "elastomer") elastomer_from_json(model, where);
  for (const char* part : {"main_rubber", "chamber_rubber"})
    if (model.contains(part)) elastomer_from_json(model[part], where + "." + part);
}

std::vector<Imported> models_of(const Exchange& exchange, const std::string& law, std::vector<Finding>& findings) {
  std::vector<Imported> out;
  for (std::size_t d = 0; d < 6; ++d) {
    const std::string where = fmt::format("{}: {}", exchange.path, bushing_directions[d]);
    std::optional<Json> model = exchange.mount ? model_of(exchange.mount->directions[d], exchange.mount->model_type == "G4D", where, findings)
                                               : model_of(exchange.bushing->directions[d], where, findings);
    if (!model) continue;
    if (!law.empty()) set_law(*model, law);
    const std::string axis = lower_case(bushing_directions[d]);
    try {
      check_rubber(*model, where);
    } catch (const Error& error) {
      findings.push_back({Severity::serious, "refused", error.where(), error.message(), error.remedy()});
      continue;
    }
    if ((*model)["model"] == "elastomer") (*model)["axis"] = axis;
    out.push_back({axis, std::move(*model)});
  }
  return out;
}

void add_parameters(report::Section& section, const Imported& one) {
  report::Table table{.title = one.direction, .columns = {{"Parameter"}, {"Value", "SI"}}};
  const auto add = [&](const std::string& prefix, const Json& parameters) {
    for (const auto& [name, value] : parameters.items())
      if (value.is_number()) table.rows.push_back({{prefix + name, value.get<double>()}});
  };
  for (const char* part : {"main_rubber", "chamber_rubber"})
    if (one.model.contains(part)) add(std::string(part) + ".", one.model[part]["parameters"]);
  add("", one.model["parameters"]);
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
  outcome.result = {{"status", "done"}, {"kind", "fmu"}, {"findings", Json::array()}};
  outcome.result["files"].push_back({{"path", name}, {"model", kind}});
  outcome.text = fmt::format("{}: {}\n", name, kind);
  outcome.inputs.push_back({{"path", job.file}, {"sha256", sha256(bytes)}});
  outcome.document = report::Document{.title = "Imported " + stem, .subtitle = job.file};
  outcome.document->section("Model", "The model file that the FMU carries.").add(report::Details(name, outcome.files.back().content));
  return outcome;
}

}  // namespace

Outcome import_models(const ImportJob& job, Progress&) {
  if (!job.law.empty() && job.law != "masing" && job.law != "g4")
    throw_bad_input("law", fmt::format("unknown law {}", in_quotes(job.law)), suggest(job.law, {"masing", "g4"}));
  if (const std::string bytes = read_text(job.file); bytes.rfind("PK\x03\x04", 0) == 0) return import_fmu(job, bytes);
  const Exchange exchange = read_exchange(job.file);
  if (!exchange.mount && !exchange.bushing) {
    const bool told = !exchange.findings.empty() && exchange.format.empty();
    throw_bad_input(job.file,
                    told ? exchange.findings.back().message : fmt::format("this is no property file of a mount; it holds {}", exchange.kind()),
                    "give a .ubf, .ubu, .bus or .gbs file");
  }
  Outcome outcome;
  std::vector<Finding> findings = exchange.findings;
  const std::vector<Imported> models = models_of(exchange, job.law, findings);
  if (models.empty()) {
    const bool told = !findings.empty();
    throw_bad_input(told ? findings.back().where : job.file, told ? findings.back().message : "no direction holds a spring",
                    told ? findings.back().remedy : "check the file");
  }
  const std::string stem = std::filesystem::path(job.file).stem().string();
  report::Document document{.title = "Imported " + stem, .subtitle = job.file};
  report::Section& section = document.section("Parameters", "SI units; one model file for each direction.");
  outcome.result["status"] = "done";
  outcome.result["kind"] = exchange.kind();
  for (const Imported& one : models) {
    const std::string name = fmt::format("{}_{}.json", stem, one.direction);
    outcome.files.push_back({name, dump_json(one.model)});
    outcome.result["files"].push_back({{"path", name}, {"direction", one.direction}, {"model", one.model["model"]}});
    outcome.result["models"][one.direction] = one.model;
    outcome.text += fmt::format("{}: {} in {}\n", name, one.model["model"].get<std::string>(), one.direction);
    add_parameters(section, one);
  }
  document.section("Findings").add(report::Findings{findings});
  outcome.text += findings_text(findings);
  outcome.result["findings"] = to_json(findings);
  outcome.inputs.push_back({{"path", job.file}, {"sha256", exchange.sha256}});
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
