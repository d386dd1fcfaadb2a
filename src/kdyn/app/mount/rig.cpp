// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/elastomer_report.hpp"
#include "kdyn/app/mount/rig_output.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/bench_files.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/numerics/meet.hpp"
#include "kdyn/rig/bushing_rig.hpp"
#include "kdyn/rig/model_axis.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const SineTerm*) {
  using S = app::SineTerm;
  static const FieldTable table = FieldTable::of<S>("sine", [](FieldTable& t) {
    t.add(&S::frequency_hz, "frequency_hz", "Hz", "Frequency").above(0.0).must_be_given();
    t.add(&S::amplitude_m, "amplitude_m", "m", "Amplitude, zero to peak").above(0.0).must_be_given();
    t.add(&S::phase_deg, "phase_deg", "deg", "Phase of the sine at the start");
  });
  return table;
}

const FieldTable& app::fields_of(const RigJob*) {
  using J = app::RigJob;
  static const FieldTable table = FieldTable::of<J>("rig", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file, or the result.json of a fit").from_words().must_be_given().reads();
    t.add(&J::axis, "axis", "-",
          "One axis of a six-axis bushing alone: fx fy fz tx ty tz. Of another model it says that it is a rotation (tx "
          "ty tz): m and N then mean rad "
          "and N*m");
    t.add(&J::input, "input", "-",
          "Transient: file with time and displacement; for a bushing with columns fx_mm fy_mm fz_mm tx_deg ty_deg "
          "tz_deg")
        .reads();
    t.add(&J::input_scale, "input_scale", "-", "Transient: the displacement of the file times this");
    t.add(&J::input_offset_m, "input_offset_m", "m", "Transient: added to the displacement of the file after scaling");
    t.add(&J::sines, "sines", "-",
          "Transient: sines that are run together, e.g. [{\"frequency_hz\": 2, \"amplitude_m\": 1e-3}, "
          "{\"frequency_hz\": 25, \"amplitude_m\": 1e-4, \"phase_deg\": 90}]");
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::motion, "motion", "-",
          "Bushing: how its axes move together, e.g. {\"fx\": {\"amplitude\": 1e-3, \"phase_deg\": 90, \"preload\": "
          "500}}; also frequency_hz and "
          "formula (transient). m, N, of rotations rad, N*m");
    t.add(&J::motion_factors, "motion_factors", "-", "Bushing, map: all amplitudes of motion times these").above(0.0);
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

// Files of what the programme gave on one axis; their names begin with `prefix`. Returns a few words about it.
std::string add_files(const RigResult& result, AxisKind axis, const std::string& prefix, Outcome& outcome) {
  std::string words;
  if (!result.map.empty()) {
    outcome.files.push_back({prefix + "map.csv", map_csv(as_map(result, axis))});
    words = fmt::format("{} points of the map", result.map.size());
  }
  if (!result.static_loop.force.empty()) {
    outcome.files.push_back({prefix + "static.csv", static_csv(result.static_loop)});
    words = fmt::format("static loop of {} samples", result.static_loop.force.size());
  }
  if (!result.series.force.empty()) {
    outcome.files.push_back({prefix + "series.csv", series_csv(result.series)});
    words = fmt::format("{} samples", result.series.force.size());
  }
  return words;
}

BushingRigOptions bushing_options(const RigJob& job) {
  BushingRigOptions options{job.rig, {}, job.motion_factors};
  if (!job.motion.is_object())
    throw_bad_input("motion", "this is no object", R"(write {"fx": {"amplitude": 1e-3}, "fz": {...}})");
  for (const auto& [key, value] : job.motion.items()) {
    const auto it = std::find(axis_names.begin(), axis_names.end(), key);
    if (it == axis_names.end())
      throw_bad_input("motion." + key, fmt::format("unknown axis {}", in_quotes(key)),
                      suggest(key, {axis_names.begin(), axis_names.end()}));
    AxisMotion motion;
    from_json_fields(motion, value, "motion." + key);
    options.motion[static_cast<std::size_t>(it - axis_names.begin())] = motion;
  }
  const RigOptions defaults;
  // Amplitude and preload of a mount alone; a bushing has its own for each axis.
  if (job.rig.amplitudes_m != defaults.amplitudes_m)
    throw_bad_input("amplitudes_m", "a bushing has an amplitude for each axis",
                    "give motion, and motion_factors for several amplitudes");
  if (job.rig.preloads_n != defaults.preloads_n)
    throw_bad_input("preloads_n", "a bushing has a preload for each axis", "give motion.fz.preload");
  if (!job.rig.formula.empty())
    throw_bad_input("formula", "a bushing has a formula for each axis", "give motion.fz.formula");
  if (job.rig.program == RigProgram::static_loop && job.rig.static_amplitude_m != defaults.static_amplitude_m)
    throw_bad_input("static_amplitude_m", "a bushing has an amplitude for each axis", "give motion.fz.amplitude");
  if (job.rig.program == RigProgram::sweep && job.rig.sweep_amplitude_m != defaults.sweep_amplitude_m)
    throw_bad_input("sweep_amplitude_m", "a bushing has an amplitude for each axis", "give motion.fz.amplitude");
  if ((job.rig.program == RigProgram::random || job.rig.program == RigProgram::road) &&
      job.rig.random_rms_m != defaults.random_rms_m)
    throw_bad_input("random_rms_m", "a bushing has an rms for each axis", "give motion.fz.amplitude");
  return options;
}

// Columns fx .. tz of a file of signals.
BushingInput bushing_input(const std::string& path, Outcome& outcome, std::vector<Finding>& findings) {
  const SignalSet table = read_signal_table(path);
  outcome.inputs.push_back(table.source);
  if (table.time.empty()) throw_bad_input(path, "there is no time column", "give time_s, fx_mm, fz_mm, tx_deg, ...");
  findings.insert(findings.end(), table.findings.begin(), table.findings.end());
  BushingInput input;
  bool some = false;
  for (const Signal& column : table.signals) {
    const std::string name = lower_case(column.name);
    const auto it = std::find(axis_names.begin(), axis_names.end(), name);
    if (it == axis_names.end()) {
      findings.push_back({Severity::note, "not_used", fmt::format("{}: {}", path, column.name),
                          "the column is no motion of an axis and was not used",
                          "name motions fx fy fz tx ty tz with their units"});
      continue;
    }
    const auto k = static_cast<std::size_t>(it - axis_names.begin());
    const std::string unit = k < 3 ? "m" : "rad";
    if (column.unit != unit)
      throw_bad_input(
          fmt::format("{}:{}", path, table.header_line),
          fmt::format("column {} is in {}, not a {}", in_quotes(column.name),
                      column.written_unit.empty() ? "no unit" : in_quotes(column.written_unit),
                      k < 3 ? "length" : "plane angle"),
          k < 3 ? "name it fx_mm or fx [mm]; forces are results" : "name it tx_deg or tx [rad]; moments are results");
    if (input[k])
      throw_bad_input(fmt::format("{}:{}", path, table.header_line), fmt::format("two columns for {}", name),
                      "keep one of them");
    BenchSeries series;
    series.axis = k < 3 ? AxisKind::translation : AxisKind::rotation;
    series.time = table.time, series.displacement = column.values, series.lines = table.lines,
    series.source = table.source;
    input[k] = std::move(series);
    some = true;
  }
  if (!some)
    throw_bad_input(path, "no column is a motion of the bushing",
                    "name columns fx_mm fy_mm fz_mm tx_deg ty_deg tz_deg");
  return input;
}

// Length and rate are those of the file.
void tell_unused_length(const RigJob& job, std::vector<Finding>& findings) {
  const RigOptions defaults;
  const std::pair<const char*, bool> words[] = {{"duration_s", job.rig.duration_s != defaults.duration_s},
                                                {"sample_rate_hz", job.rig.sample_rate_hz != defaults.sample_rate_hz}};
  for (const auto& [name, given] : words)
    if (given)
      findings.push_back({Severity::warning, "not_used", name,
                          "the motion comes from a file, with its own length and sampling rate: this value is not used",
                          "leave it out, or cut or resample the file"});
}

Outcome rig_of_bushing(const RigJob& job, const Json& model, Outcome outcome, Progress& progress) {
  const Bushing bushing = bushing_from_json(inner_model(model), job.model);
  const BushingRigOptions options = bushing_options(job);
  std::vector<Finding> findings;
  std::optional<BushingInput> input;
  if (!job.input.empty()) {
    input = bushing_input(job.input, outcome, findings);
    tell_unused_length(job, findings);
  }
  const BushingRigResult result = run_bushing_rig(bushing, options, input ? &*input : nullptr, progress);
  outcome.complete = result.status == "done";
  findings.insert(findings.end(), result.findings.begin(), result.findings.end());
  BushingRigOutput output{job, result.status, result.reason, {}, {}, findings};
  bushing_json(bushing, output.model.json);
  outcome.text = fmt::format("{}\n", result.status);
  for (std::size_t k = 0; k < axis_names.size(); ++k) {
    if (!result.shown[k]) continue;
    const AxisKind kind = k < 3 ? AxisKind::translation : AxisKind::rotation;
    output.axes.push_back({axis_names[k], RigAxis{result.axes[k], kind, job.rig.program, result.centre[k]}});
    outcome.text += fmt::format("  {}: {}\n", axis_names[k],
                                add_files(result.axes[k], kind, std::string(axis_names[k]) + "_", outcome));
  }
  if (!result.reason.empty()) outcome.text += "  " + result.reason + "\n";
  to_json_fields(output, outcome.result);
  outcome.document = bushing_rig_report(std::filesystem::path(job.model).stem().string(), job.rig, result, findings);
  return outcome;
}

// The measured force of an input file beside the simulated one; the constant belongs to the sensor.
std::optional<RigComparison> compare_with_measured(const BenchSeries& measured, const BenchSeries& simulated) {
  const std::size_t n = simulated.force.size();
  if (measured.force.size() != n || n == 0) return std::nullopt;
  std::vector<double> force = simulated.force, constant(n, 0.0);
  const Met met = meet(force, measured.force);
  const double size = meet(constant, measured.force).rms;  // of the measured force about its mean
  return RigComparison{met.rms, size > 0.0 ? met.rms / size : std::nan(""), met.offset};
}

// Sines as the formula of a transient; refuses what would contradict them.
std::string formula_of(const RigJob& job) {
  if (job.rig.program != RigProgram::transient)
    throw_bad_input("sines", "several sines at once need the programme transient", "use --program transient");
  if (!job.rig.formula.empty() || !job.input.empty())
    throw_bad_input("sines", "the motion is given twice", "give one of sines, formula and input");
  std::string text;
  for (std::size_t i = 0; i < job.sines.size(); ++i) {
    const SineTerm& s = job.sines[i];
    if (2.5 * s.frequency_hz > job.rig.sample_rate_hz)
      throw_bad_input(fmt::format("sines[{}].frequency_hz", i),
                      fmt::format("{:g} Hz are sampled at {:g} Hz", s.frequency_hz, job.rig.sample_rate_hz),
                      "raise sample_rate_hz to ten times the highest frequency");
    text += fmt::format("{}{:.17g}*sin(2*pi*{:.17g}*t+{:.17g})", i > 0 ? "+" : "", s.amplitude_m, s.frequency_hz,
                        s.phase_deg * degree);
  }
  return text;
}

// A static curve is straight beyond its last points, which nobody has measured.
void tell_beyond_curve(const Json& model, const Mount& mount, const RigResult& result, std::vector<Finding>& findings) {
  const Json& rubber = model.contains("main_rubber") ? model["main_rubber"] : model;
  const Json curve = rubber.value(Json::json_pointer("/parameters/curve"), Json());
  if (!curve.is_array() || curve.size() < 2) return;
  const auto first = curve.front()[0].get<double>(), last = curve.back()[0].get<double>();
  double lower = first, upper = last;
  const auto take = [&](double u) { lower = std::min(lower, u), upper = std::max(upper, u); };
  for (const double u : result.series.displacement) take(u);
  for (const double u : result.static_loop.displacement) take(u);
  for (const RigMapRow& row : result.map) {
    const double u0 = mount.static_displacement(row.preload);
    take(u0 - row.amplitude), take(u0 + row.amplitude);
  }
  if (lower >= first && upper <= last) return;
  findings.push_back({Severity::warning, "beyond_curve", "curve",
                      fmt::format("the motion goes from {:.4g} to {:.4g}, the static curve of the model from {:.4g} to "
                                  "{:.4g} (m or rad): beyond it the force is that of a straight line",
                                  lower, upper, first, last),
                      "give the model a curve that reaches as far, or move it less"});
}

// What moves the specimen is said once, and by words that the programme takes.
void check_motion(const RigJob& job) {
  const bool transient = job.rig.program == RigProgram::transient;
  if (!job.input.empty() && !transient)
    throw_bad_input("input", "a file needs the programme transient", "use --program transient");
  if (!job.rig.formula.empty() && !transient)
    throw_bad_input("formula", "a formula needs the programme transient", "use --program transient");
  if (!job.rig.formula.empty() && !job.input.empty())
    throw_bad_input("formula", "the motion is given twice", "give one of sines, formula and input");
}

}  // namespace

Outcome rig(const RigJob& given, Progress& progress) {
  RigJob job = given;
  if (!job.sines.empty()) job.rig.formula = formula_of(given);
  check_motion(job);
  const bool moved = job.input_scale != 1.0 || job.input_offset_m != 0.0;
  if (moved && job.input.empty())
    throw_bad_input("input_scale", "there is no input to scale", "give --input FILE, or leave scale and offset out");
  const std::string content = read_text(job.model);
  Outcome outcome;
  outcome.inputs.push_back({job.model, sha256(content), {}});
  const Json model = parse_json(content, job.model);
  if (is_bushing_model(model) && job.axis.empty() && (moved || !job.sines.empty()))
    throw_bad_input(moved ? "input_scale" : "sines", "this is for a single mount or one axis",
                    "name the axis with --axis, or give motion.fz.formula and columns in their final size");
  if (is_bushing_model(model) && job.axis.empty()) return rig_of_bushing(job, model, std::move(outcome), progress);
  if (!job.motion.empty() || job.motion_factors != RigJob().motion_factors)
    throw_bad_input(
        "motion", "several axes at once need a bushing model",
        is_bushing_model(model) ? "leave --axis out" : "give amplitudes_m, preloads_n or a formula for a single mount");
  const AxisMount specimen = mount_on_axis(model, job.model, job.axis);
  const Mount& mount = *specimen.mount;
  const bool rotation = specimen.kind == AxisKind::rotation;
  BenchFile input;
  std::vector<Finding> told;  // of the reader
  if (!job.input.empty()) {
    Contents contents = read_measurements({job.input}, job.read);
    choose_object(contents, job.read);
    if (contents.sets.size() != 1 || contents.sets.front().bench.kind != BenchKind::series)
      throw_bad_input(job.input,
                      fmt::format("it holds {} measurements, the first a {}; the rig runs one time record",
                                  contents.sets.size(), to_string(contents.sets.front().bench.kind)),
                      "give a file with time_s and displacement_mm; choose with --direction or --sheets");
    input = std::move(contents.sets.front().bench);
    told = std::move(contents.findings);
    tell_unused_length(job, told);
    outcome.inputs.push_back({job.input, contents.files.front().sha256, {}});
    for (double& u : input.series.displacement) u = job.input_scale * u + job.input_offset_m;
    if (moved && !input.series.force.empty())
      told.push_back({Severity::note, "not_compared", job.input,
                      "the displacement was scaled or moved: the measured force is not compared",
                      "leave input_scale and input_offset_m out to compare"});
    if (input.series.axis != specimen.kind)
      throw_bad_input(
          job.input,
          rotation ? "the file has a displacement, but the axis is torsional"
                   : "the file has an angle, but the axis is a translation",
          rotation ? "give time_s, angle_deg" : "give time_s, displacement_mm, or name a torsional axis with --axis");
  }
  RigResult result = run_rig(mount, job.rig, job.input.empty() ? nullptr : &input.series, progress);
  result.static_loop.axis = result.series.axis = specimen.kind;
  if (is_bushing_model(model)) {
    const Bushing whole = bushing_from_json(inner_model(model), job.model);
    if (whole.coupling != Coupling::none || whole.place.given())
      result.findings.push_back(
          {Severity::note, "axis_alone", job.axis,
           "the law of this axis ran alone, along the bushing's own axis: coupling and place of the bushing do not act",
           "leave --axis out and give --motion for the whole bushing"});
  }
  outcome.complete = result.status == "done";
  result.findings.insert(result.findings.begin(), told.begin(), told.end());
  RigOutput output{given, {result, specimen.kind, job.rig.program}, {}, {}};
  mount.to_json(output.model.json);
  put_axis(output.model, specimen.axis);
  tell_beyond_curve(output.model.json, mount, result, result.findings);
  if (job.rig.program == RigProgram::transient && job.rig.formula.empty() && !moved)
    output.comparison = compare_with_measured(input.series, result.series);
  outcome.text = fmt::format("{}: {}\n", result.status, add_files(result, specimen.kind, "", outcome));
  if (const auto& c = output.comparison)
    outcome.text += fmt::format(
        "  against the measured force: {:.1f} % (rms {:.3g}), constant {:.3g} taken off; kdyn validate tells more\n",
        100.0 * c->relative, c->rms, c->offset);
  if (!result.reason.empty()) outcome.text += "  " + result.reason + "\n";
  to_json_fields(output, outcome.result);
  outcome.document =
      rig_report(std::filesystem::path(job.model).stem().string(), mount, specimen.kind, job.rig, result);
  return outcome;
}

}  // namespace kdyn::app
