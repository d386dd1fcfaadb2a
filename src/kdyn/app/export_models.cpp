// SPDX-License-Identifier: Apache-2.0
// Model files as FMUs, C source or property files of other tools.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/exchange_jobs.hpp"
#include "kdyn/app/export_property.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fmu/c_source.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/rig/model_axis.hpp"
#include "kdyn/rig/model_file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::ExportJob>() {
  using J = app::ExportJob;
  static const FieldTable table = FieldTable::of<J>("export", [](FieldTable& t) {
    t.add(&J::models, "models", "-", "Model files, or result.json of fits; one for each direction").from_words().must_be_given().alias("model");
    t.add(&J::to, "to", "-",
          "Format: fmu2 or fmu3 (functional mock-up unit of FMI 2.0 or 3.0), c (C99 source of the law), ubf (all parameters), bus or gbs (static "
          "curve "
          "and equivalent damping)")
        .one_of({"ubf", "bus", "gbs", "c", "fmu2", "fmu3"});
    t.add(&J::directions, "directions", "-", "Direction of each model: fx fy fz tx ty tz; fz when one model is given that says nothing");
    t.add(&J::frequency_hz, "frequency_hz", "Hz", "bus and gbs: frequency of the equivalent damping; fmu and c: of the sine in the check file")
        .above(0.0);
    t.add(&J::amplitude, "amplitude", "m or rad", "bus and gbs: amplitude of the equivalent damping; fmu and c: of the sine in the check file")
        .above(0.0);
    t.add(&J::reach, "reach", "m or rad", "bus and gbs: half length of the curve of a constant spring").above(0.0);
    t.add(&J::name, "name", "-", "Name of the file and, for fmu and c, of the model: letters, digits, underscores");
    t.add(&J::compilers, "compilers", "-",
          "FMU: C compilers, one binary each (x86_64-w64-mingw32-gcc for Windows); empty takes cc, gcc or clang, none writes sources only")
        .alias("compiler");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

std::size_t direction_index(const std::string& name, const std::string& where) {
  for (std::size_t d = 0; d < 6; ++d)
    if (lower_case(bushing_directions[d]) == lower_case(name)) return d;
  throw_bad_input(where, fmt::format("unknown direction {}", in_quotes(name)), "use fx fy fz tx ty or tz");
}

bool is_code(ExportTarget to) { return to == ExportTarget::c || to == ExportTarget::fmu2 || to == ExportTarget::fmu3; }

std::vector<ExportModel> read_models(const ExportJob& job, Outcome& outcome) {
  if (job.models.empty()) throw_bad_input("models", "no model is named", "kdyn export MODEL --to ubf --out DIR");
  if (!job.directions.empty() && job.directions.size() != job.models.size())
    throw_bad_input("directions", fmt::format("{} directions for {} models", job.directions.size(), job.models.size()),
                    "name one direction for each model");
  std::vector<ExportModel> out;
  for (std::size_t i = 0; i < job.models.size(); ++i) {
    const std::string content = read_text(job.models[i]);
    ExportModel given{job.models[i], parse_json(content, job.models[i]), 2};
    const auto said = axis_of_model(given.model, given.path);
    while (given.model.is_object() && given.model.contains("model") && given.model["model"].is_object()) given.model = Json(given.model["model"]);
    outcome.inputs.push_back({{"path", given.path}, {"sha256", sha256(content)}});
    if (!job.directions.empty())
      given.direction = direction_index(job.directions[i], "directions");
    else if (said && said->size() == 2)
      given.direction = direction_index(*said, given.path + ": axis");
    else if (said && kind_of_axis(*said) == AxisKind::rotation && !is_code(job.to))
      throw_bad_input("directions", "the model is torsional and does not say about which axis", "--directions tx, ty or tz");
    else if (job.models.size() > 1)
      throw_bad_input("directions", "several models need their directions", "--directions fx fy fz");
    if (said && kind_of_axis(*said) != kind_of_axis(lower_case(bushing_directions[given.direction])) && !is_code(job.to))
      throw_bad_input("directions",
                      fmt::format("the model is of axis {}, the direction is {}", *said, lower_case(bushing_directions[given.direction])),
                      "a torsional model goes to tx, ty or tz, another one to fx, fy or fz");
    for (const ExportModel& other : out)
      if (other.direction == given.direction)
        throw_bad_input("directions", fmt::format("two models for {}", lower_case(bushing_directions[given.direction])), "--directions fx fy fz");
    out.push_back(std::move(given));
  }
  return out;
}

// A sine and the force it gives, to compare after the import into another tool; also a plot. Bushings have none: their axes are mounts.
void add_check(const ExportModel& given, const ExportJob& job, const std::string& name, Outcome& outcome, report::Section& section) {
  if (given.model.contains("model") && given.model["model"] == "bushing") return;
  const auto mount = mount_from_json(given.model, given.path);
  constexpr int per_cycle = 200, cycles = 5;
  const double omega = 2.0 * std::numbers::pi * job.frequency_hz, h = 1.0 / (job.frequency_hz * per_cycle);
  const auto motion = [&](int i) { return Motion<double>{job.amplitude * std::sin(omega * i * h), job.amplitude * omega * std::cos(omega * i * h)}; };
  report::Series loop{.name = "force"};
  std::string csv = "time [s],displacement [m],velocity [m/s],force [N]\n";
  mount->start(motion(0));
  for (int i = 0; i <= per_cycle * cycles; ++i) {
    const double force = i == 0 ? mount->peek(motion(0)) : mount->advance(motion(i), h);
    csv += fmt::format("{},{},{},{}\n", i * h, motion(i).u, motion(i).v, force);
    loop.x.push_back(1e3 * motion(i).u), loop.y.push_back(force);
  }
  outcome.files.push_back({name + "_check.csv", csv});
  section.add(
      report::Plot{.title = "Response to check after the import",
                   .x = {"Displacement", "mm"},
                   .y = {"Force", "N"},
                   .series = {std::move(loop)},
                   .caption = fmt::format("Sine of {:g} Hz and amplitude {:g} mm from rest, {} steps per cycle; the samples are in {}_check.csv.",
                                          job.frequency_hz, 1e3 * job.amplitude, per_cycle, name)});
}

void write_fmu(const ExportModel& given, const ExportJob& job, const std::string& name, Outcome& outcome, std::vector<Finding>& findings,
               report::Document& document) {
  const int version = job.to == ExportTarget::fmu2 ? 2 : 3;
  const Fmu fmu = make_fmu(given.model, given.path, {version, name, job.compilers});
  outcome.files.push_back({name + ".fmu", fmu.archive});
  for (const std::string& reason : fmu.missing)
    findings.push_back(
        {Severity::warning, "no_binary", name + ".fmu",
         fmt::format("the FMU holds sources{}: {}", fmu.binaries.empty() ? " but no binary" : ", and a binary is missing", reason),
         "install the C compiler and export again, or let the importing tool compile sources/" + std::string(version == 2 ? "fmi2.c" : "fmi3.c")});
  std::vector<std::string> made;
  for (const FmuBinary& binary : fmu.binaries) made.push_back(fmt::format("{} ({})", binary.platform, binary.compiler));
  auto& section = document.section(name + ".fmu", fmt::format("FMI {}.0, model exchange and co-simulation; {}.", version,
                                                              made.empty() ? "sources only" : "sources, and binaries for " + join(made, ", ")));
  add_check(given, job, name, outcome, section);
  report::Table table{.title = "Variables", .columns = {{"Name"}, {"Kind"}, {"Unit"}, {"Start", "", report::Align::right}, {"Meaning"}}};
  for (const FmuVariableInfo& v : fmu.variables) table.rows.push_back({{v.name, v.kind, v.unit, v.start, v.meaning}});
  section.add(std::move(table));
  Json entries = Json::array(), platforms = Json::array();
  for (const FmuBinary& binary : fmu.binaries) platforms.push_back(binary.platform);
  for (const auto& [path, content] : fmu.entries) entries.push_back({{"path", path}, {"bytes", content.size()}});
  outcome.result["fmu"].push_back(
      {{"path", name + ".fmu"}, {"fmi_version", version == 2 ? "2.0" : "3.0"}, {"platforms", platforms}, {"entries", entries}});
}

// What a law keeps in kdyn and loses in C.
void tell_what_is_fixed(const ExportModel& given, std::vector<Finding>& findings) {
  if (given.model.contains("temperature") && !given.model["temperature"].is_null())
    findings.push_back({Severity::note, "temperature", given.path, "the model is exported at its own parameters, the temperature table stays behind",
                        "for another temperature tune static_stiffness, scale_freq and scale_ampl by its row"});
  if (given.model.contains("model") && given.model["model"] == "fractional_zener")
    findings.push_back({Severity::note, "ladder", given.path, "hardening, relaxation time and order are fixed in the ladder of the exported law",
                        "static_stiffness can be tuned; export again for other values"});
}

}  // namespace

Outcome export_models(const ExportJob& job, Progress&) {
  Outcome outcome;
  const std::vector<ExportModel> models = read_models(job, outcome);
  std::vector<Finding> findings;
  report::Document document{.title = "Export of " + job.name, .subtitle = join(job.models, ", ")};
  const std::string base = std::filesystem::path(job.name).filename().string();
  if (is_code(job.to)) {
    for (const ExportModel& given : models) {
      const std::string name = models.size() == 1 ? base : base + "_" + lower_case(bushing_directions[given.direction]);
      tell_what_is_fixed(given, findings);
      if (job.to != ExportTarget::c) {
        write_fmu(given, job, name, outcome, findings, document);
        continue;
      }
      const CSource source = c_source(given.model, given.path, name);
      outcome.files.push_back({name + ".c", source.code});
      outcome.files.push_back({name + ".h", source.header});
      auto& section = document.section("Source of " + name, "One file, C99, needs the mathematics library only; a header for files that call it.");
      add_check(given, job, name, outcome, section);
      section.add(report::Details(name + ".c", source.code));
    }
  } else {
    export_property_file(models, job, base, outcome, findings, document);
  }
  outcome.result["status"] = "done";
  for (const OutputFile& file : outcome.files)
    outcome.result["files"].push_back({{"path", file.name}, {"bytes", file.content.size()}, {"sha256", sha256(file.content)}});
  outcome.result["findings"] = to_json(findings);
  document.section("Findings").add(report::Findings{findings});
  outcome.text += findings_text(findings);
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
