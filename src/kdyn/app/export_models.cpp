// SPDX-License-Identifier: Apache-2.0
// Model files as property files of other tools, or as C source.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/exchange_jobs.hpp"
#include "kdyn/app/mount_files.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fmu/c_source.hpp"
#include "kdyn/rig/model_file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::ExportJob>() {
  using J = app::ExportJob;
  static const FieldTable table = FieldTable::of<J>("export", [](FieldTable& t) {
    t.add(&J::models, "models", "-", "Model files, or result.json of fits; one for each direction").from_words().must_be_given().alias("model");
    t.add(&J::to, "to", "-", "Format: ubf (all parameters), bus or gbs (static curve and equivalent damping), c (C99 source of the law)")
        .one_of({"ubf", "bus", "gbs", "c"});
    t.add(&J::directions, "directions", "-", "Direction of each model: fx fy fz tx ty tz; fz when one model is given that says nothing");
    t.add(&J::frequency_hz, "frequency_hz", "Hz", "bus and gbs: frequency of the equivalent damping").above(0.0);
    t.add(&J::amplitude, "amplitude", "m or rad", "bus and gbs: amplitude of the equivalent damping").above(0.0);
    t.add(&J::reach, "reach", "m or rad", "bus and gbs: half length of the curve of a constant spring").above(0.0);
    t.add(&J::name, "name", "-", "Name of the file and, for c, prefix of its functions");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

struct Given {
  std::string path;
  Json model;  // the model object itself
  std::size_t direction = 2;
};

std::size_t direction_index(const std::string& name, const std::string& where) {
  for (std::size_t d = 0; d < 6; ++d)
    if (lower_case(bushing_directions[d]) == lower_case(name)) return d;
  throw_bad_input(where, fmt::format("unknown direction {}", in_quotes(name)), "use fx fy fz tx ty or tz");
}

std::vector<Given> read_models(const ExportJob& job, Outcome& outcome) {
  if (job.models.empty()) throw_bad_input("models", "no model is named", "kdyn export MODEL --to ubf --out DIR");
  if (!job.directions.empty() && job.directions.size() != job.models.size())
    throw_bad_input("directions", fmt::format("{} directions for {} models", job.directions.size(), job.models.size()),
                    "name one direction for each model");
  std::vector<Given> out;
  for (std::size_t i = 0; i < job.models.size(); ++i) {
    const std::string content = read_text(job.models[i]);
    Given given{job.models[i], parse_json(content, job.models[i]), 2};
    while (given.model.is_object() && given.model.contains("model") && given.model["model"].is_object()) given.model = Json(given.model["model"]);
    outcome.inputs.push_back({{"path", given.path}, {"sha256", sha256(content)}});
    if (!job.directions.empty())
      given.direction = direction_index(job.directions[i], "directions");
    else if (given.model.is_object() && given.model.contains("axis") && given.model["axis"].is_string())
      given.direction = direction_index(given.model["axis"].get<std::string>(), given.path + ": axis");
    else if (job.models.size() > 1)
      throw_bad_input("directions", "several models need their directions", "--directions fx fy fz");
    for (const Given& other : out)
      if (other.direction == given.direction)
        throw_bad_input("directions", fmt::format("two models for {}", lower_case(bushing_directions[given.direction])), "--directions fx fy fz");
    out.push_back(std::move(given));
  }
  return out;
}

Curve sampled_curve(const Mount& mount, const Json& model, double reach) {
  double lower = -reach, upper = reach;
  if (model.contains("parameters") && model["parameters"].contains("curve") && model["parameters"]["curve"].is_array() &&
      model["parameters"]["curve"].size() >= 2) {
    const Json& points = model["parameters"]["curve"];
    lower = points.front()[0].get<double>(), upper = points.back()[0].get<double>();
  }
  constexpr int pieces = 40;
  Curve curve;
  for (int i = 0; i <= pieces; ++i) {
    const double x = lower + (upper - lower) * i / pieces;
    curve.emplace_back(x, mount.static_force(x));
  }
  return curve;
}

// Static curve and the damper that dissipates as much in a sine of the chosen frequency and amplitude.
BushingDirection equivalent(const Given& given, const ExportJob& job, std::vector<Finding>& findings) {
  const auto mount = mount_from_json(given.model, given.path);
  const double omega = 2.0 * std::numbers::pi * job.frequency_hz;
  std::complex<double> K = mount->linear_stiffness(job.frequency_hz, 0.0);
  const auto steady = mount->closed_form(job.frequency_hz, job.amplitude, 0.0);
  if (steady) K = std::polar(steady->k_dyn, steady->loss_angle);
  BushingDirection out;
  out.curve = sampled_curve(*mount, given.model, job.reach);
  out.damping = K.imag() / omega;
  const double h = 1e-6 * job.reach, k_static = (mount->static_force(h) - mount->static_force(-h)) / (2.0 * h);
  findings.push_back({Severity::warning, "lost", given.path,
                      fmt::format("the file carries the static curve and one damping value, exact at {:g} Hz and amplitude {:g}{}: there the model "
                                  "has {:.4g} N/m dynamic stiffness, the file {:.4g} N/m; "
                                  "frequency dependence, amplitude dependence and friction are lost",
                                  job.frequency_hz, job.amplitude, steady ? "" : " (small amplitudes)", K.real(), k_static),
                      "use ubf, c or an FMU to keep the law"});
  return out;
}

void plot(report::Document& document, const BushingFile& file) {
  report::Plot curve{.title = "Static curves", .x = {"Displacement", "mm"}, .y = {"Force", "N"}};
  for (std::size_t d = 0; d < 3; ++d) {
    if (file.directions[d].curve.empty()) continue;
    report::Series series{.name = lower_case(bushing_directions[d])};
    for (const auto& [x, f] : file.directions[d].curve) series.x.push_back(1e3 * x), series.y.push_back(f);
    curve.series.push_back(std::move(series));
  }
  if (!curve.series.empty()) document.section("What the file carries").add(std::move(curve));
}

}  // namespace

Outcome export_models(const ExportJob& job, Progress&) {
  Outcome outcome;
  const std::vector<Given> models = read_models(job, outcome);
  std::vector<Finding> findings;
  report::Document document{.title = "Export of " + job.name, .subtitle = join(job.models, ", ")};
  const std::string base = std::filesystem::path(job.name).filename().string();
  if (job.to == ExportTarget::c) {
    for (const Given& given : models) {
      const std::string direction = lower_case(bushing_directions[given.direction]);
      const std::string prefix = models.size() == 1 ? base : base + "_" + direction;
      const CSource source = c_source(given.model, given.path, prefix);
      outcome.files.push_back({prefix + ".c", source.code});
      document.section("Source of " + prefix, "One file, C99, needs the mathematics library only.").add(report::Details(prefix + ".c", source.code));
    }
  } else if (job.to == ExportTarget::ubf) {
    UbfFile file;
    for (const Given& given : models) {
      bool hydro = false;
      file.directions[given.direction] = ubf_direction_of(given.model, given.path, hydro);
      if (hydro) file.model_type = "G4D";
    }
    outcome.files.push_back({base + ".ubf", ubf_text(file)});
    document.section("File").add(report::Details(base + ".ubf", outcome.files.back().content));
  } else {
    BushingFile file;
    for (const Given& given : models) file.directions[given.direction] = equivalent(given, job, findings);
    file.comments = {"Static curves and equivalent damping of kdyn models.",
                     fmt::format("Damping is exact at {:g} Hz and amplitude {:g} m (rad); frequency and amplitude dependence are not in this file.",
                                 job.frequency_hz, job.amplitude)};
    const bool bus = job.to == ExportTarget::bus;
    outcome.files.push_back({base + (bus ? ".bus" : ".gbs"), bus ? bus_text(file) : gbs_text(file)});
    plot(document, file);
  }
  outcome.result["status"] = "done";
  for (const OutputFile& file : outcome.files)
    outcome.result["files"].push_back({{"path", file.name}, {"bytes", file.content.size()}, {"sha256", sha256(file.content)}});
  outcome.result["findings"] = to_json(findings);
  document.section("Findings").add(report::Findings{findings});
  for (const Finding& f : findings) outcome.text += fmt::format("{}: {} ({})\n  {}\n", to_string(f.severity), f.message, f.where, f.remedy);
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
