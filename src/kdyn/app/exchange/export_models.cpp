// SPDX-License-Identifier: Apache-2.0
// Model files as FMUs, C source or property files of other tools.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kdyn/app/exchange/exchange_jobs.hpp"
#include "kdyn/app/exchange/export_loss.hpp"
#include "kdyn/app/exchange/export_property.hpp"
#include "kdyn/app/exchange/export_system.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fmu/c_source.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/rig/model_axis.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const ExportJob*) {
  using J = app::ExportJob;
  static const FieldTable table = FieldTable::of<J>("export", [](FieldTable& t) {
    t.add(&J::models, "models", "-",
          "Model files, or result.json of fits; one for each direction. Or one multibody model file")
        .from_words()
        .must_be_given()
        .alias("model")
        .reads();
    t.add(&J::to, "to", "-",
          "Format: fmu2 or fmu3 (functional mock-up unit of FMI 2.0 or 3.0), c (C header and C++17 source of the law), "
          "ubf (all parameters), bus or "
          "gbs (static "
          "curve "
          "and equivalent damping)")
        .one_of({"ubf", "bus", "gbs", "c", "fmu2", "fmu3"});
    t.add(&J::directions, "directions", "-",
          "Direction of each model: fx fy fz tx ty tz; fz when one model is given that says nothing");
    t.add(&J::frequency_hz, "frequency_hz", "Hz",
          "bus and gbs: frequency of the equivalent damping; fmu and c: of the sine in the check file")
        .above(0.0);
    t.add(&J::amplitude, "amplitude", "m or rad",
          "bus and gbs: amplitude of the equivalent damping; fmu and c: of the sine in the check file")
        .above(0.0);
    t.add(&J::reach, "reach", "m or rad", "bus and gbs: half length of the curve of a constant spring").above(0.0);
    t.add(&J::name, "name", "-", "Name of the file and, for fmu and c, of the model: letters, digits, underscores");
    t.add(&J::author, "author", "-", "FMU: author of the model, for its description");
    t.add(&J::model_version, "model_version", "-", "FMU: version of the model, for its description");
    t.add(&J::license, "license", "-",
          "FMU: licence of the model, for its description; the runtime inside is under Apache-2.0");
    t.add(&J::inputs, "inputs", "-",
          "Multibody model: what the FMU takes from outside: loads and driven joints by name, LOAD.force.x, "
          "JOINT.drive, BUSHING.fz.coupling; * "
          "stands for "
          "any letters");
    t.add(&J::outputs, "outputs", "-",
          "Multibody model: signals of kdyn simulate that the FMU gives; * stands for any letters. By default "
          "positions of bodies, deflections and "
          "loads of "
          "mounts");
    t.add(&J::dry_run, "dry_run", "-", "Say what the format would lose and write no file of it");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

constexpr const char* format_names[] = {".ubf", ".bus", ".gbs", "C source", "FMU 2.0", "FMU 3.0"};

std::size_t direction_index(const std::string& name, const std::string& where) {
  for (std::size_t d = 0; d < 6; ++d)
    if (lower_case(bushing_directions[d]) == lower_case(name)) return d;
  throw_bad_input(where, fmt::format("unknown direction {}", in_quotes(name)), "use fx fy fz tx ty or tz");
}

bool is_code(ExportTarget to) { return to == ExportTarget::c || to == ExportTarget::fmu2 || to == ExportTarget::fmu3; }

// Each model with the direction it goes to.
std::vector<ExportModel> placed(std::vector<ExportModel> models, const ExportJob& job) {
  if (!job.directions.empty() && job.directions.size() != job.models.size())
    throw_bad_input("directions", fmt::format("{} directions for {} models", job.directions.size(), job.models.size()),
                    "name one direction for each model");
  std::vector<ExportModel> out;
  for (std::size_t i = 0; i < models.size(); ++i) {
    ExportModel& given = models[i];
    const auto said = axis_of_model(given.model, given.path);
    given.model = Json(inner_model(given.model));
    if (!job.directions.empty())
      given.direction = direction_index(job.directions[i], "directions");
    else if (said && said->size() == 2)
      given.direction = direction_index(*said, given.path + ": axis");
    else if (said && kind_of_axis(*said) == AxisKind::rotation && !is_code(job.to))
      throw_bad_input("directions", "the model is torsional and does not say about which axis",
                      "--directions tx, ty or tz");
    else if (models.size() > 1)
      throw_bad_input("directions", "several models need their directions", "--directions fx fy fz");
    if (said && kind_of_axis(*said) != kind_of_axis(lower_case(bushing_directions[given.direction])) &&
        !is_code(job.to))
      throw_bad_input("directions",
                      fmt::format("the model is of axis {}, the direction is {}", *said,
                                  lower_case(bushing_directions[given.direction])),
                      "a torsional model goes to tx, ty or tz, another one to fx, fy or fz");
    for (const ExportModel& other : out)
      if (other.direction == given.direction)
        throw_bad_input("directions", fmt::format("two models for {}", lower_case(bushing_directions[given.direction])),
                        "--directions fx fy fz");
    out.push_back(std::move(given));
  }
  return out;
}

std::vector<ExportModel> read_models(const ExportJob& job, Outcome& outcome) {
  if (job.models.empty()) throw_bad_input("models", "no model is named", "kdyn export MODEL --to ubf --out DIR");
  std::vector<ExportModel> models;
  for (const std::string& path : job.models) {
    const std::string content = read_text(path);
    models.push_back({path, parse_json(content, path), 2});
    outcome.inputs.push_back({path, sha256(content), {}});
  }
  return placed(std::move(models), job);
}

// A motion and the force it gives, to compare after the import into another tool. Columns have the names of the FMU's
// variables; the second file has the inputs alone, since some tools want to set every column.
struct CheckFile {
  std::vector<std::string> inputs, forces;  // names
  std::string all, given;                   // the files
  void row(double t, const std::vector<double>& motion, const std::vector<double>& force) {
    given += fmt::format("{},{}\n", t, fmt::join(motion, ","));
    all += fmt::format("{},{},{}\n", t, fmt::join(motion, ","), fmt::join(force, ","));
  }
  void head() {
    given = fmt::format("time,{}\n", fmt::join(inputs, ","));
    all = fmt::format("time,{},{}\n", fmt::join(inputs, ","), fmt::join(forces, ","));
  }
};

constexpr int check_per_cycle = 200, check_cycles = 5;

// Five cycles of a sine.
CheckFile check_of_mount(const ExportModel& given, const ExportJob& job, report::Series& loop) {
  const auto mount = mount_from_json(given.model, given.path);
  const double omega = 2.0 * std::numbers::pi * job.frequency_hz, h = 1.0 / (job.frequency_hz * check_per_cycle);
  const auto motion = [&](int i) {
    return Motion<double>{job.amplitude * std::sin(omega * i * h), job.amplitude * omega * std::cos(omega * i * h)};
  };
  CheckFile check{{"displacement", "velocity"}, {"force"}, {}, {}};
  check.head();
  mount->start(motion(0));
  for (int i = 0; i <= check_per_cycle * check_cycles; ++i) {
    const double force = i == 0 ? mount->peek(motion(0)) : mount->advance(motion(i), h);
    check.row(i * h, {motion(i).u, motion(i).v}, {force});
    loop.x.push_back(1e3 * motion(i).u), loop.y.push_back(force);
  }
  return check;
}

// The same on every axis that has a law, each a sixth of a cycle behind the one before, so that coupled axes move in
// circles.
CheckFile check_of_bushing(const ExportModel& given, const ExportJob& job, report::Series& loop) {
  Bushing bushing = bushing_from_json(given.model, given.path);
  const double omega = 2.0 * std::numbers::pi * job.frequency_hz, h = 1.0 / (job.frequency_hz * check_per_cycle);
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < axis_names.size(); ++a)
    if (bushing.axes[a] || bushing.place.given())
      axes.push_back(a);  // with a place every outer axis can carry something
  CheckFile check;
  for (const char* word : {"displacement", "velocity"})
    for (const std::size_t a : axes) check.inputs.push_back(fmt::format("{}.{}", word, axis_names[a]));
  for (const std::size_t a : axes) check.forces.push_back(fmt::format("force.{}", axis_names[a]));
  check.head();
  for (int i = 0; i <= check_per_cycle * check_cycles; ++i) {
    Bushing::Vector u{}, v{}, force{};
    std::vector<double> motion, forces;
    for (const std::size_t a : axes) {
      const double phase = omega * i * h - std::numbers::pi / 3.0 * static_cast<double>(a);
      u[a] = job.amplitude * std::sin(phase), v[a] = job.amplitude * omega * std::cos(phase);
    }
    if (i == 0) bushing.start(u, v);
    force = i == 0 ? bushing.peek(u, v) : bushing.advance(u, v, h);
    for (const auto* list : {&u, &v})
      for (const std::size_t a : axes) motion.push_back((*list)[a]);
    for (const std::size_t a : axes) forces.push_back(force[a]);
    check.row(i * h, motion, forces);
    if (!axes.empty()) loop.x.push_back(1e3 * u[axes.front()]), loop.y.push_back(force[axes.front()]);
  }
  return check;
}

void add_check(const ExportModel& given, const ExportJob& job, const std::string& name, Outcome& outcome,
               report::Section& section) {
  const bool bushing = is_bushing_model(given.model);
  report::Series loop{.name = "force"};
  CheckFile check = bushing ? check_of_bushing(given, job, loop) : check_of_mount(given, job, loop);
  outcome.files.push_back({name + "_check.csv", std::move(check.all)});
  outcome.files.push_back({name + "_check_in.csv", std::move(check.given)});
  section.add(report::Plot{
      .title = "Response to check after the import",
      .x = {"Displacement", "mm or mrad"},
      .y = {"Force", "N or N m"},
      .series = {std::move(loop)},
      .caption = fmt::format(
          "Sine of {:g} Hz and amplitude {:g} mm (mrad) from rest, {} steps per cycle{}; the samples are in "
          "{}_check.csv, SI units, "
          "and the motion alone in {}_check_in.csv.",
          job.frequency_hz, 1e3 * job.amplitude, check_per_cycle,
          bushing ? " on every axis, each a sixth of a cycle behind the one before; shown is the first" : "", name,
          name)});
}

void write_fmu(const ExportModel& given, const ExportJob& job, const std::string& name, Outcome& outcome,
               ExportOutput& output, report::Document& document) {
  const int version = job.to == ExportTarget::fmu2 ? 2 : 3;
  const Fmu fmu = make_fmu(given.model, given.path,
                           {.version = version,
                            .name = name,
                            .author = job.author,
                            .model_version = job.model_version,
                            .license = job.license});
  outcome.files.push_back({name + ".fmu", fmu.archive});
  auto& section = document.section(
      name + ".fmu", fmt::format("FMI {}.0, model exchange and co-simulation; binaries for {}, and sources.", version,
                                 join(fmu.platforms, ", ")));
  add_check(given, job, name, outcome, section);
  report::Table table{.title = "Variables",
                      .columns = {{"Name"}, {"Kind"}, {"Unit"}, {"Start", "", report::Align::right}, {"Meaning"}}};
  for (const FmuVariableInfo& v : fmu.variables) table.rows.push_back({{v.name, v.kind, v.unit, v.start, v.meaning}});
  section.add(std::move(table));
  output.fmu.push_back(exported_fmu(name, version, fmu));
}

// What a law keeps in kdyn and loses outside.
void tell_what_is_fixed(const ExportModel& given, std::vector<Finding>& findings) {
  const auto look = [&](const Json& law, const std::string& where) {
    if (temperature_tables(law).empty() || exports_temperature(law, where)) return;
    findings.push_back(
        {Severity::note, "temperature", where,
         "no temperature of the table has all factors 1: the model is exported at its own parameters, "
         "the table stays behind",
         "write \"temperature_c\" beside \"model\": the exported model starts there and knows the others"});
  };
  look(given.model, given.path);
  if (is_bushing_model(given.model) && given.model.contains("axes") && given.model["axes"].is_object())
    for (const auto& [axis, law] : given.model["axes"].items())
      look(inner_model(law), fmt::format("{}.axes.{}", given.path, axis));
}

}  // namespace

Outcome export_models(const ExportJob& job, Progress&) {
  if (is_system_export(job)) return export_system(job);
  for (const auto& [name, list] : {std::pair{"inputs", &job.inputs}, {"outputs", &job.outputs}})
    if (!list->empty())
      throw_bad_input(name, "these are chosen for a multibody model; a mount has its own", "leave them out");
  Outcome outcome;
  const std::vector<ExportModel> models = read_models(job, outcome);
  Outcome written = export_given(models, job);
  written.inputs = std::move(outcome.inputs);
  return written;
}

Json export_preview(const Json& model, const std::string& path, ExportJob job) {
  job.models = {path};
  job.dry_run = true;
  return export_given(placed({{path, model, 2}}, job), job).result;
}

Outcome export_given(const std::vector<ExportModel>& models, const ExportJob& job) {
  Outcome outcome;
  ExportOutput output;
  std::vector<Finding>& findings = output.findings;
  report::Document document{.title = "Export of " + job.name, .subtitle = join(job.models, ", ")};
  const std::string base = std::filesystem::path(job.name).filename().string();
  if (is_code(job.to)) {
    for (const ExportModel& given : models) {
      const std::string name = models.size() == 1 ? base : base + "_" + lower_case(bushing_directions[given.direction]);
      tell_what_is_fixed(given, findings);
      if (job.dry_run) continue;
      if (job.to != ExportTarget::c) {
        write_fmu(given, job, name, outcome, output, document);
        continue;
      }
      const CSource source = c_source(given.model, given.path, name);
      outcome.files.push_back({name + ".cpp", source.code});
      outcome.files.push_back({name + ".h", source.header});
      auto& section = document.section("Source of " + name,
                                       "A C header and one file of C++17 that needs nothing but the standard library.");
      add_check(given, job, name, outcome, section);
      section.add(report::Details(name + ".h", source.header));
    }
  } else {
    export_property_file(models, job, base, outcome, output, document);
  }
  output.loss = loss_of(output, job);
  if (job.dry_run) outcome.files.clear();
  for (const OutputFile& file : outcome.files) output.files.push_back(written(file.name, file.content));
  to_json_fields(output, outcome.result);
  outcome.text += fmt::format("{}: {}\n", format_names[static_cast<std::size_t>(job.to)], output.loss->words);
  document.section("Findings").add(report::Findings{findings});
  outcome.text += findings_text(findings);
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
