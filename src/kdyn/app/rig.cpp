// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/elastomer_report.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/bench_files.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/model_axis.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::RigJob>() {
  using J = app::RigJob;
  static const FieldTable table = FieldTable::of<J>("rig", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file, or the result.json of a fit").from_words().must_be_given();
    t.add(&J::axis, "axis", "-",
          "Axis of a six-axis bushing: fx fy fz tx ty tz. Of another model it says that it is a rotation (tx ty tz): m and N then mean rad and N*m");
    t.add(&J::input, "input", "-", "Transient: file with time and displacement");
    t.include(&J::rig, field_table<RigOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

StiffnessMap as_map(const RigResult& result, AxisKind axis) {
  StiffnessMap map;
  map.axis = axis;
  for (const RigMapRow& row : result.map) {
    MapRow out;
    out.frequency_hz = row.frequency_hz;
    out.amplitude = row.amplitude;
    out.preload = row.preload;
    out.k_dyn = row.response.k_dyn;
    out.loss_angle = row.response.loss_angle;
    map.rows.push_back(out);
  }
  return map;
}

Json map_json(const RigResult& result, const AxisKeys& names) {
  Json rows = Json::array();
  for (const RigMapRow& row : result.map) {
    Json out = {{"frequency_hz", row.frequency_hz},
                {names.amplitude, row.amplitude},
                {names.preload, row.preload},
                {"k_dyn", row.response.k_dyn},
                {"loss_angle_deg", row.response.loss_angle / degree},
                {"k_dyn_loop", row.response.k_dyn_loop},
                {"loss_angle_loop_deg", row.response.loss_angle_loop / degree},
                {"cycles", row.cycles},
                {"settled", row.settled}};
    rows.push_back(std::move(out));
  }
  return rows;
}

// The measured force of an input file beside the simulated one; the constant belongs to the sensor.
void compare_with_measured(const BenchSeries& measured, const BenchSeries& simulated, Outcome& outcome) {
  const std::size_t n = simulated.force.size();
  if (measured.force.size() != n || n == 0) return;
  double offset = 0.0, mean = 0.0, miss = 0.0, size = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    offset += (measured.force[i] - simulated.force[i]) / static_cast<double>(n);
    mean += measured.force[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    miss += std::pow(simulated.force[i] + offset - measured.force[i], 2) / static_cast<double>(n);
    size += std::pow(measured.force[i] - mean, 2) / static_cast<double>(n);
  }
  const double relative = size > 0.0 ? std::sqrt(miss / size) : std::nan("");
  outcome.result["comparison"] = {{"rms_n", std::sqrt(miss)}, {"rms_rel", relative}, {"offset_n", offset}};
  outcome.text += fmt::format("  against the measured force: {:.1f} % (rms {:.3g}), constant {:.3g} taken off; kdyn validate tells more\n",
                              100.0 * relative, std::sqrt(miss), offset);
}

}  // namespace

Outcome rig(const RigJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  const AxisMount specimen = mount_on_axis(parse_json(content, job.model), job.model, job.axis);
  const Mount& mount = *specimen.mount;
  const bool rotation = specimen.kind == AxisKind::rotation;
  Outcome outcome;
  outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(content)}});
  BenchFile input;
  if (!job.input.empty()) {
    BenchReadOptions options;
    options.expected = BenchKind::series;
    input = read_bench_file(job.input, options);
    outcome.inputs.push_back(source_json(input.series.source));
    if (input.series.axis != specimen.kind)
      throw_bad_input(job.input,
                      rotation ? "the file has a displacement, but the axis is torsional" : "the file has an angle, but the axis is a translation",
                      rotation ? "give time_s, angle_deg" : "give time_s, displacement_mm, or name a torsional axis with --axis");
  }
  RigResult result = run_rig(mount, job.rig, job.input.empty() ? nullptr : &input.series, progress);
  result.static_loop.axis = result.series.axis = specimen.kind;
  const AxisKeys names = axis_keys(specimen.kind);
  outcome.complete = result.status == "done";
  Json& out = outcome.result;
  out["status"] = result.status;
  out["reason"] = result.reason;
  out["axis"] = axis_word(specimen.kind);
  out["units"] = rotation ? Json{{"displacement", "rad"}, {"force", "N*m"}, {"stiffness", "N*m/rad"}}
                          : Json{{"displacement", "m"}, {"force", "N"}, {"stiffness", "N/m"}};
  mount.to_json(out["model"]);
  if (!specimen.axis.empty()) out["model"]["axis"] = specimen.axis;
  switch (job.rig.program) {
    case RigProgram::map:
      out["reduction"] = {{"k_dyn", "first harmonic of force over displacement"},
                          {"k_dyn_loop", "force range over displacement range, loss angle from the loop area"}};
      out["map"] = map_json(result, names);
      outcome.files.push_back({"map.csv", map_csv(as_map(result, specimen.kind))});
      outcome.text = fmt::format("{}: {} points of the map\n", result.status, result.map.size());
      break;
    case RigProgram::static_loop:
      out["series"] = {{names.displacement, result.static_loop.displacement}, {names.force, result.static_loop.force}};
      outcome.files.push_back({"static.csv", static_csv(result.static_loop)});
      outcome.text = fmt::format("{}: static loop of {} samples\n", result.status, result.static_loop.force.size());
      break;
    case RigProgram::sweep:
      out["reduction"] = {{"k_dyn", "least squares on the phase of the sweep, windows of six cycles"}};
      out["map"] = map_json(result, names);
      outcome.files.push_back({"map.csv", map_csv(as_map(result, specimen.kind))});
      [[fallthrough]];
    case RigProgram::transient:
    case RigProgram::random:
    case RigProgram::road:
      out["series"] = {{"time_s", result.series.time}, {names.displacement, result.series.displacement}, {names.force, result.series.force}};
      for (const MountRecord& one : result.inside) out["series"]["signals"][one.signal.name] = {{"unit", one.signal.unit}, {"values", one.values}};
      outcome.files.push_back({"series.csv", series_csv(result.series)});
      outcome.text = fmt::format("{}: {} samples\n", result.status, result.series.force.size());
      if (job.rig.program == RigProgram::transient && job.rig.formula.empty()) compare_with_measured(input.series, result.series, outcome);
      break;
  }
  if (!result.reason.empty()) outcome.text += "  " + result.reason + "\n";
  out["findings"] = to_json(result.findings);
  to_json_fields(job, out["options_used"]);
  outcome.document = rig_report(std::filesystem::path(job.model).stem().string(), mount, specimen.kind, job.rig, result);
  return outcome;
}

}  // namespace kdyn::app
