// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/export_system.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/exchange/exchange_outputs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fmu/system_fmu.hpp"

namespace kdyn::app {

bool is_system_export(const ExportJob& job) {
  for (const std::string& path : job.models) {
    const Json content = parse_json(read_text(path), path);
    if (content.is_object() && content.contains("bodies")) return true;
  }
  return false;
}

Outcome export_system(const ExportJob& job) {
  if (job.models.size() != 1)
    throw_bad_input("models", fmt::format("{} files are named, one of them a multibody model", job.models.size()),
                    "export it alone");
  const bool two = job.to == ExportTarget::fmu2;
  if (!two && job.to != ExportTarget::fmu3)
    throw_bad_input("to", "a multibody model can leave as an FMU alone", "--to fmu2 or --to fmu3");
  if (!job.directions.empty())
    throw_bad_input("directions", "a multibody model has no direction", "leave the directions out");
  const std::string& path = job.models.front();
  const std::string content = read_text(path), name = std::filesystem::path(job.name).filename().string();
  const mbs::ModelFile file =
      mbs::model_from_json(parse_json(content, path), path, std::filesystem::path(path).parent_path().string());
  const SystemFmu made = make_system_fmu(file, {job.inputs, job.outputs},
                                         {.version = two ? 2 : 3,
                                          .name = name,
                                          .author = job.author,
                                          .model_version = job.model_version,
                                          .license = job.license});
  Outcome outcome;
  outcome.inputs.push_back({path, sha256(content), {}});
  if (!job.dry_run) outcome.files.push_back({name + ".fmu", made.fmu.archive});
  ExportOutput output{{exported_fmu(name, two ? 2 : 3, made.fmu)}};
  output.fmu.front().inputs = made.inputs;
  output.fmu.front().outputs = made.outputs;
  if (!job.dry_run) output.files.push_back(written(name + ".fmu", made.fmu.archive));
  output.findings = made.findings;
  to_json_fields(output, outcome.result);
  report::Document document{.title = "Export of " + name, .subtitle = path};
  auto& section =
      document.section(name + ".fmu", fmt::format("The whole multibody model for FMI {}.0, co-simulation, {}. Steps "
                                                  "are divided into equal parts of at most {:g} s.",
                                                  two ? 2 : 3, join(made.fmu.platforms, ", "), file.run.step_s));
  report::Table table{.title = "Variables",
                      .columns = {{"Name"}, {"Kind"}, {"Unit"}, {"Start", "", report::Align::right}, {"Meaning"}}};
  for (const FmuVariableInfo& v : made.fmu.variables)
    table.rows.push_back({{v.name, v.kind, v.unit, v.start, v.meaning}});
  section.add(std::move(table));
  document.section("Findings").add(report::Findings{made.findings});
  outcome.text += fmt::format("inputs: {}\noutputs: {}\n", made.inputs.empty() ? "none" : join(made.inputs, " "),
                              join(made.outputs, " "));
  outcome.text += findings_text(made.findings);
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
