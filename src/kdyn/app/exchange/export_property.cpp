// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/export_property.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/exchange/export_check.hpp"
#include "kdyn/app/exchange/mount_files.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/scaled.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::app {
namespace {

// One model for each direction, coupling and place of a bushing.
std::vector<ExportModel> axes_of(const std::vector<ExportModel>& models, std::string& coupling,
                                 std::array<double, 6>& place) {
  coupling = "none";
  if (models.size() > 1)
    for (const ExportModel& one : models)
      if (is_bushing_model(one.model))
        throw_bad_input(one.path, "a bushing has all directions itself", "export it alone");
  if (!is_bushing_model(models.front().model)) return models;
  const ExportModel& whole = models.front();
  Json complete;
  const Bushing bushing = bushing_from_json(whole.model, whole.path);
  bushing_json(bushing, complete);
  for (std::size_t i = 0; i < 3; ++i)
    place[i] = bushing.place.position()[i], place[3 + i] = bushing.place.orientation()[i];
  coupling = complete["coupling"].get<std::string>();
  std::vector<ExportModel> out;
  for (std::size_t d = 0; d < axis_names.size(); ++d)
    if (complete["axes"].contains(axis_names[d]))
      out.push_back({fmt::format("{}.axes.{}", whole.path, axis_names[d]), complete["axes"][axis_names[d]], d});
  return out;
}

// The points of the model's own curve; a straight line of the given half length where it has none.
Curve static_curve(const Mount& mount, double reach) {
  Json model;
  mount.to_json(model);
  const Json& rubber = model.contains("main_rubber") ? model["main_rubber"] : model;
  if (!rubber["parameters"].contains("curve") || !rubber["parameters"]["curve"].is_array() ||
      rubber["parameters"]["curve"].empty()) {
    const double force = mount.static_force(reach);
    return {{-reach, -force}, {0.0, 0.0}, {reach, force}};
  }
  Curve curve = rubber["parameters"]["curve"].get<Curve>();
  const double scale = rubber["parameters"]["scale_curve"].get<double>() * scaled_model(model, "model").scale;
  for (auto& point : curve) point.second *= scale;
  return curve;
}

// Static curve and the damper that dissipates as much in a sine of the chosen frequency and amplitude.
BushingDirection equivalent(const ExportModel& one, const ExportJob& job) {
  const auto mount = mount_from_json(one.model, one.path);
  const auto steady = mount->closed_form(job.frequency_hz, job.amplitude, 0.0);
  const SteadyResponse response =
      steady ? *steady : run_rig_point(*mount, {}, job.frequency_hz, job.amplitude, 0.0).response;
  BushingDirection out;
  out.curve = static_curve(*mount, one.direction < 3 ? job.reach : std::max(job.reach, 0.1));
  out.damping = response.k_dyn * std::sin(response.loss_angle) / (2.0 * std::numbers::pi * job.frequency_hz);
  return out;
}

void plot(report::Document& document, const BushingFile& file) {
  auto& section = document.section("What the file carries");
  for (const bool rotation : {false, true}) {
    const AxisDisplay units = axis_display(rotation ? AxisKind::rotation : AxisKind::translation);
    report::Plot curve{.title = rotation ? "Static curves of rotations" : "Static curves",
                       .x = {units.displacement_name, units.displacement.unit},
                       .y = {units.force_name, units.force.unit}};
    for (std::size_t d = rotation ? 3 : 0; d < (rotation ? 6U : 3U); ++d) {
      if (file.directions[d].curve.empty()) continue;
      report::Series series{.name = axis_names[d]};
      for (const auto& [x, f] : file.directions[d].curve)
        series.x.push_back(x * units.displacement.factor), series.y.push_back(f * units.force.factor);
      curve.series.push_back(std::move(series));
    }
    if (!curve.series.empty()) section.add(std::move(curve));
  }
}

}  // namespace

void export_property_file(const std::vector<ExportModel>& models, const ExportJob& job, const std::string& name,
                          Outcome& outcome, ExportOutput& output, report::Document& document) {
  std::string coupling, text, extension;
  std::array<double, 6> place{};
  const std::vector<ExportModel> axes = axes_of(models, coupling, place);
  if (job.to == ExportTarget::ubf) {
    UbfFile file;
    file.shape = coupling;
    file.place = place;
    for (const ExportModel& one : axes) {
      bool hydro = false;
      file.directions[one.direction] = ubf_direction_of(one.model, one.path, hydro);
      if (hydro) file.model_type = "G4D";
    }
    text = ubf_text(file), extension = ".ubf";
    document.section("File").add(report::Details(name + extension, text));
  } else {
    BushingFile file;
    file.coupling = coupling == "none" ? "rectangular" : coupling;
    file.place = place;
    for (const ExportModel& one : axes) file.directions[one.direction] = equivalent(one, job);
    file.comments = {"Static curves and equivalent damping of kdyn models.",
                     fmt::format("Damping is exact at {:g} Hz and amplitude {:g} m (rad); frequency and amplitude "
                                 "dependence are not in this file.",
                                 job.frequency_hz, job.amplitude)};
    const bool bus = job.to == ExportTarget::bus;
    text = bus ? bus_text(file) : gbs_text(file), extension = bus ? ".bus" : ".gbs";
    plot(document, file);
  }
  outcome.files.push_back({name + extension, text});
  check_property_file(text, name + extension, axes, coupling, place, job, output, document);
}

}  // namespace kdyn::app
