// SPDX-License-Identifier: Apache-2.0
// kdyn modes: a multibody model made linear about its static equilibrium; modes with damping and shapes, frequency
// responses between named inputs and outputs as files that kdyn modal and kdyn update read.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/multibody/multibody_picture.hpp"
#include "kdyn/app/multibody/multibody_signals.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/mbs/fmu_law.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const ModesJob*) {
  using J = app::ModesJob;
  static const FieldTable table = FieldTable::of<J>("modes", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Multibody model file (docs/multibody.md)").from_words().must_be_given().reads();
    t.add(&J::parameters, "parameters", "-", "Parameters of the model (SI units) instead of its values").unless_empty();
    t.add(&J::static_start, "static_start", "-",
          "About the static equilibrium; else about the position given, which must be one");
    t.add(&J::allow_fmu, "allow_fmu", "-", mbs::allow_fmu_meaning);
    t.add(&J::title, "title", "-", "Title of the report; by default that of the model");
    t.add(&J::inputs, "inputs", "-",
          "Forces and torques on markers, bodies and loads in global axes, motions of drives: tip.force.z, "
          "engine.torque.y, table.drive. By default "
          "the directions of the model's loads");
    t.add(&J::outputs, "outputs", "-",
          "Signals by the names of kdyn simulate: tip.acceleration.z, left.fz.load. By default accelerations of the "
          "markers with a name");
    t.add(&J::from_hz, "from_hz", "Hz", "First frequency; by default a fifth of the lowest mode").at_least(0.0);
    t.add(&J::to_hz, "to_hz", "Hz", "Last frequency; by default one and a half times the highest mode").above(0.0);
    t.add(&J::lines, "lines", "-", "Frequencies, equally far apart").range(2, 100000);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

using namespace mbs;
using Complex = std::complex<double>;

constexpr std::size_t most_channels = 2000, most_default_outputs = 60, most_animated = 30;

std::vector<std::string> names_of_inputs(const ModesJob& job, const Model& model) {
  if (!job.inputs.empty()) return job.inputs;
  std::vector<std::string> names;
  for (const PointLoad& load : model.loads)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name =
          !load.name.empty() ? load.name : model.markers[static_cast<std::size_t>(load.marker)].name;
      if (name.empty()) continue;
      if (!load.force[k].is_zero()) names.push_back(fmt::format("{}.force.{}", name, "xyz"[k]));
      if (!load.torque[k].is_zero()) names.push_back(fmt::format("{}.torque.{}", name, "xyz"[k]));
    }
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

std::vector<std::string> names_of_outputs(const ModesJob& job, const Model& model,
                                          const std::vector<NamedOutput>& known) {
  if (!job.outputs.empty()) return job.outputs;
  std::vector<std::string> markers, bodies;
  for (const NamedOutput& o : known) {
    if (o.output.kind != OutputKind::acceleration) continue;
    const bool body = std::any_of(model.bodies.begin(), model.bodies.end(),
                                  [&](const Body& b) { return o.name.rfind(b.name + ".acceleration", 0) == 0; });
    (body ? bodies : markers).push_back(o.name);
  }
  return markers.empty() || markers.size() > most_default_outputs ? bodies : markers;
}

// A point and direction of universal files: markers are numbered as they stand in the model, from 1; others have a name
// only.
Dof dof_of(const std::string& name, int marker, int direction) {
  Dof dof;
  dof.name = name;
  dof.node = marker < 0 ? 0 : marker + 1;
  dof.direction = direction;
  return dof;
}

std::string word(double x) { return fmt::format("{:.4g}", x); }

struct Linear {
  LinearModel model;
  std::vector<LinearMode> modes;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  std::vector<NamedOutput> points;  // x of every point that has a name
  FrequencyResponse response;
};

std::string point_name(const NamedOutput& o) { return o.name.substr(0, o.name.rfind(".position.x")); }

void respond(Linear& linear, const ModesJob& job, Progress& progress) {
  if (linear.inputs.empty() || linear.outputs.empty()) return;
  if (linear.inputs.size() * linear.outputs.size() > most_channels)
    throw_bad_input(
        "outputs",
        fmt::format("{} inputs and {} outputs make too many responses", linear.inputs.size(), linear.outputs.size()),
        fmt::format("name at most {} pairs", most_channels));
  double lowest = 0.0, highest = 0.0;
  for (const LinearMode& mode : linear.modes)
    if (mode.eigenvalue.imag() > 0.0) {
      if (lowest == 0.0) lowest = mode.frequency_hz;
      highest = std::max(highest, mode.frequency_hz);
    }
  const double from = job.from_hz.value_or(0.2 * lowest),
               to = job.to_hz.value_or(highest > 0.0 ? 1.5 * highest : 100.0);
  if (!(to > from))
    throw_bad_input("to_hz", fmt::format("the band from {} Hz to {} Hz is empty", word(from), word(to)),
                    "give to_hz above from_hz");
  FrequencyResponse& response = linear.response;
  for (const NamedOutput& o : linear.outputs)
    for (const NamedInput& i : linear.inputs) {
      FrequencyResponseChannel channel;
      const bool point = o.output.kind == OutputKind::position || o.output.kind == OutputKind::velocity ||
                         o.output.kind == OutputKind::acceleration;
      channel.output = dof_of(o.name, point ? o.output.index : -1, point ? o.output.component + 1 : 0);
      channel.input =
          dof_of(i.name, i.input.joint < 0 ? i.input.marker : -1, i.input.joint < 0 ? i.input.component + 1 : 0);
      channel.output_unit = o.unit;
      channel.input_unit = i.unit;
      response.channels.push_back(std::move(channel));
    }
  for (int k = 0; k < job.lines; ++k) {
    if (k % 16 == 0) {
      progress.report(static_cast<double>(k) / job.lines, "responses");
      if (progress.stop_requested()) break;
    }
    const double hz = from + (to - from) * k / (job.lines - 1);
    const Eigen::MatrixXcd H = frequency_response(linear.model, hz);
    response.frequency_hz.push_back(hz);
    std::size_t c = 0;
    for (Eigen::Index o = 0; o < H.rows(); ++o)
      for (Eigen::Index i = 0; i < H.cols(); ++i) response.channels[c++].values.push_back(H(o, i));
  }
}

// What moves most in a mode, among the points with a name.
std::string mover(const System& system, const Linear& linear, const LinearMode& mode) {
  double most = 0.0;
  std::string name = "rotation, or states of laws";
  for (const NamedOutput& p : linear.points) {
    const auto u = marker_motion(system, linear.model, mode, p.output.index);
    for (int k = 0; k < 3; ++k)
      if (std::abs(u[k]) > most * (1.0 + 1e-6))
        most = std::abs(u[k]), name = fmt::format("{} along {}", point_name(p), "xyz"[k]);
  }
  return name;
}

// Motion of one point: along and about the axes.
struct PointMotion {
  std::array<Complex, 3> translation, rotation;
};
const FieldTable& fields_of(const PointMotion*) {
  static const FieldTable table = FieldTable::results<PointMotion>("motion of a point", [](FieldTable& t) {
    t.add(&PointMotion::translation, "translation", "m", "Along x, y, z, each [re, im]").shown_in("m");
    t.add(&PointMotion::rotation, "rotation", "rad", "About x, y, z").shown_in("rad");
  });
  return table;
}

struct ModeShown {
  LinearMode mode;
  std::string moves;
  std::vector<std::pair<std::string, PointMotion>> shape;
};
const FieldTable& fields_of(const ModeShown*) {
  using M = ModeShown;
  static const FieldTable table = FieldTable::results<M>("multibody mode", [](FieldTable& t) {
    t.add([](const M& m) { return m.mode.frequency_hz; }, "frequency_hz", "Hz", "|eigenvalue| / 2 pi");
    t.add([](const M& m) { return m.mode.damping_ratio; }, "damping", "-", "Damping ratio");
    t.add([](const M& m) { return m.mode.eigenvalue; }, "eigenvalue", "1/s", "[re, im]");
    t.add([](const M& m) { return m.mode.eigenvalue.imag() > 0.0; }, "oscillates", "-", "Whether it oscillates");
    t.add(&M::moves, "moves", "-", "What moves most");
    t.add(&M::shape, "shape", "-", "Motion of the points that have a name");
  });
  return table;
}

std::vector<ModeShown> shown_modes(const System& system, const Linear& linear) {
  std::vector<ModeShown> out;
  for (const LinearMode& mode : linear.modes) {
    ModeShown& one = out.emplace_back(ModeShown{mode, mover(system, linear, mode), {}});
    for (const NamedOutput& p : linear.points) {
      const auto u = marker_motion(system, linear.model, mode, p.output.index);
      one.shape.emplace_back(point_name(p), PointMotion{{u[0], u[1], u[2]}, {u[3], u[4], u[5]}});
    }
  }
  return out;
}

struct ResponseShown {
  const FrequencyResponseChannel& of;
  std::vector<double> part(double (*take)(const Complex&)) const {
    std::vector<double> out;
    for (const Complex& v : of.values) out.push_back(take(v));
    return out;
  }
};
const FieldTable& fields_of(const ResponseShown*) {
  using R = ResponseShown;
  static const FieldTable table = FieldTable::results<R>("response", [](FieldTable& t) {
    t.add([](const R& r) { return r.of.output.name; }, "output", "-", "Signal");
    t.add([](const R& r) { return r.of.input.name; }, "input", "-", "Force, torque or drive");
    t.add([](const R& r) { return r.of.output_unit + " / " + r.of.input_unit; }, "unit", "-", "Unit");
    t.add([](const R& r) { return r.part([](const Complex& v) { return v.real(); }); }, "real", "as unit says",
          "Real parts")
        .unless_empty();
    t.add([](const R& r) { return r.part([](const Complex& v) { return v.imag(); }); }, "imaginary", "as unit says",
          "Imaginary parts")
        .unless_empty();
  });
  return table;
}

struct ResponsesShown {
  FrequencyResponse of;
};
const FieldTable& fields_of(const ResponsesShown*) {
  using R = ResponsesShown;
  static const FieldTable table = FieldTable::results<R>("multibody responses", [](FieldTable& t) {
    t.add(
        [](const R& r) -> const auto& { return r.of.frequency_hz; }, "frequency_hz", "Hz", "Frequencies");
    t.add(
        [](const R& r) {
          std::vector<ResponseShown> out;
          for (const FrequencyResponseChannel& channel : r.of.channels) out.push_back({channel});
          return out;
        },
        "channels", "-", "Responses");
  });
  return table;
}

Geometry geometry_of(const System& system, const Linear& linear) {
  Geometry out;
  for (std::size_t m = 0; m < system.model().markers.size(); ++m) {
    const Vector3 u = system.frame_of(static_cast<int>(m), linear.model.at.q, false).u;
    GeometryNode node;
    node.label = static_cast<std::int64_t>(m) + 1;
    node.position = {u.x(), u.y(), u.z()};
    out.nodes.push_back(node);
  }
  return out;
}

ModeSet mode_set(const System& system, const Linear& linear, const std::string& title) {
  ModeSet out;
  out.name = title;
  out.complex_shapes = true;
  out.geometry = geometry_of(system, linear);
  for (const NamedOutput& p : linear.points)
    for (int k = 0; k < 6; ++k) out.dofs.push_back(dof_of(point_name(p), p.output.index, k + 1));
  for (const LinearMode& mode : linear.modes) {
    if (!(mode.eigenvalue.imag() > 0.0)) continue;
    Mode one;
    one.pole = mode.eigenvalue;
    for (const NamedOutput& p : linear.points) {
      const auto u = marker_motion(system, linear.model, mode, p.output.index);
      for (int k = 0; k < 6; ++k) one.shape.push_back(u[k]);
    }
    out.modes.push_back(std::move(one));
  }
  return out;
}

std::vector<Finding> findings_of(const ModelFile& file, const System& system, const Linear& linear) {
  std::vector<Finding> findings = file.findings;
  findings.insert(findings.end(), system.findings().begin(), system.findings().end());
  for (const LinearMode& mode : linear.modes)
    if (mode.eigenvalue.real() > 1e-6 * (1.0 + std::abs(mode.eigenvalue))) {
      findings.push_back({Severity::serious, "unstable", "model",
                          fmt::format("the equilibrium is not stable: a motion grows by exp({} t), {}",
                                      word(mode.eigenvalue.real()), mover(system, linear, mode)),
                          "look at its shape: a body may stand on its head, or a mount pushes instead of holding"});
      break;
    }
  bool friction = false;
  for (const Axis& axis : system.axes()) friction = friction || axis.law->has_memory();
  if (friction)
    findings.push_back({Severity::note, "small_amplitude", "bushings",
                        "mounts with friction act with their slope after a reversal: stiffest, and without friction "
                        "loss, as for vanishing amplitude",
                        "at larger amplitude use kdyn linearise on the mount and put the linear law into the model"});
  if (linear.inputs.empty())
    findings.push_back({Severity::note, "no_inputs", "inputs",
                        "the model has no load and no input is named: there are modes but no responses",
                        "name inputs, such as BODY.force.z"});
  return findings;
}

report::Document report_of(const std::string& title, const System& system, const Linear& linear,
                           const std::vector<Finding>& findings) {
  using namespace report;
  Document d{.title = title, .subtitle = "Modes and frequency responses about the operating point"};
  std::vector<LinearMode> turning;
  for (const LinearMode& mode : linear.modes)
    if (mode.eigenvalue.imag() > 0.0) turning.push_back(mode);
  d.key_figures.push_back(
      {.label = "Modes",
       .value = turning.size(),
       .note = fmt::format("and {} motions that do not oscillate", linear.modes.size() - turning.size())});
  if (!turning.empty())
    d.key_figures.push_back({.label = "Lowest",
                             .value = turning.front().frequency_hz,
                             .unit = "Hz",
                             .note = mover(system, linear, turning.front())});
  if (!turning.empty())
    d.key_figures.push_back({.label = "Highest",
                             .value = turning.back().frequency_hz,
                             .unit = "Hz",
                             .note = mover(system, linear, turning.back())});
  d.key_figures.push_back({.label = "Responses",
                           .value = linear.response.channels.size(),
                           .note = fmt::format("{} frequencies", linear.response.frequency_hz.size())});
  Table table{.columns = {{.title = "Mode"},
                          {.title = "Frequency", .unit = "Hz", .digits = 5},
                          {.title = "Damping", .unit = "%", .digits = 3},
                          {.title = "Moves most"}}};
  std::vector<std::string> names;
  for (std::size_t m = 0; m < turning.size(); ++m) {
    table.rows.push_back(
        {{m + 1, turning[m].frequency_hz, 100.0 * turning[m].damping_ratio, mover(system, linear, turning[m])},
         Quality::neutral});
    names.push_back(
        fmt::format("{}: {:.4g} Hz, {:.2g} %", m + 1, turning[m].frequency_hz, 100.0 * turning[m].damping_ratio));
  }
  Section& modes =
      d.section("Modes", "Frequency is |eigenvalue|/2 pi, damping is the ratio to critical.").named("modes");
  modes.add(std::move(table));
  if (turning.size() > most_animated) turning.resize(most_animated);
  if (!turning.empty()) modes.add(Picture(system, 1).shapes(linear.model.at.q, turning, names));
  if (!linear.response.channels.empty()) {
    Section& section = d.section("Frequency responses",
                                 "Small forces about the operating point; all responses are in the files beside.")
                           .named("responses");
    // One picture for each unit: curves of one unit compare.
    std::vector<std::string> units;
    for (const auto& c : linear.response.channels)
      if (const std::string unit = c.output_unit + " / " + c.input_unit;
          std::find(units.begin(), units.end(), unit) == units.end())
        units.push_back(unit);
    for (const std::string& unit : units) {
      std::vector<ResponseCurve> curves;
      std::vector<std::string> groups;
      for (const auto& c : linear.response.channels) {
        if (c.output_unit + " / " + c.input_unit != unit || groups.size() >= 12) continue;
        curves.push_back(
            {"model", SeriesStyle::line, static_cast<int>(groups.size()), linear.response.frequency_hz, c.values});
        groups.push_back(c.output.name + " by " + c.input.name);
      }
      section.add(bode("Responses in " + unit, unit, curves, groups, "Response"));
    }
  }
  Table rest{.columns = {{.title = "Body"},
                         {.title = "x", .unit = "mm"},
                         {.title = "y", .unit = "mm"},
                         {.title = "z", .unit = "mm"},
                         {.title = "Turned", .unit = "deg"}}};
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    const Body& body = system.model().bodies[b];
    const double* q = linear.model.at.q.data() + system.q_at(static_cast<int>(b));
    const Vector3 moved = 1e3 * (Eigen::Map<const Vector3>(q) - body.position);
    const double turned =
        Eigen::AngleAxisd(Matrix3(Eigen::Map<const Matrix3>(q + 3) * body.rotation.transpose())).angle() * 180.0 /
        std::numbers::pi;
    rest.rows.push_back({{body.name, moved.x(), moved.y(), moved.z(), turned}, Quality::neutral});
  }
  d.section("Operating point", "Where the bodies settle, measured from the model.").add(std::move(rest));
  d.section("Findings").add(Findings{.findings = findings, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace

struct ModesOutput {
  const ModesJob& job;
  std::string status, reason;
  std::vector<ModeShown> modes{};
  std::optional<ResponsesShown> frf{};
  std::vector<Finding> findings{};
  std::optional<std::vector<std::string>> files{};
};

const FieldTable& fields_of(const ModesOutput*) {
  using O = ModesOutput;
  static const FieldTable table = FieldTable::results<O>("modes result", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "done, stopped or no_static_equilibrium");
    t.add(&O::reason, "reason", "-", "Why");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
    t.add(
        [](const O& o) -> const auto& { return o.modes; }, "modes", "-", "Modes about the operating point");
    t.add(
         [](const O& o) -> const auto& { return o.frf; }, "frf", "-", "Frequency responses")
        .unless_null();
    add_findings<O>(t);
    t.add(&O::files, "files", "-", "Files beside result.json").unless_null();
  });
  return table;
}

Outcome modes_job(const ModesJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  const RunsForeignCode consent(job.allow_fmu);
  ModelFile file =
      model_from_text(content, job.model, std::filesystem::path(job.model).parent_path().string(), job.parameters);
  const auto known = named_outputs(file.model);
  const auto inputs = named_inputs(file.model, known);
  Linear linear;
  for (const NamedOutput& o : known)
    if (o.name.ends_with(".position.x") && o.output.kind == OutputKind::position) linear.points.push_back(o);
  for (const std::string& name : names_of_inputs(job, file.model))
    linear.inputs.push_back(look_up(inputs, name, "inputs"));
  for (const std::string& name : names_of_outputs(job, file.model, known))
    linear.outputs.push_back(look_up(known, name, "outputs"));
  const System system(file.model);
  std::vector<LinearInput> in;
  std::vector<Output> out_of;
  for (const NamedInput& i : linear.inputs) in.push_back(i.input);
  for (const NamedOutput& o : linear.outputs) out_of.push_back(o.output);
  progress.report(0.0, "equilibrium");
  linear.model = linearise(system, job.static_start, in, out_of);

  const std::string title = !job.title.empty()          ? job.title
                            : !file.model.title.empty() ? file.model.title
                                                        : std::filesystem::path(job.model).stem().string();
  Outcome outcome;
  outcome.inputs.push_back({job.model, sha256(content), {}});
  for (const std::string& path : file.files) outcome.inputs.push_back({path, sha256(read_text(path)), {}});
  ModesOutput out{job, to_string(linear.model.status), linear.model.reason};
  if (linear.model.status != RunStatus::done) {
    outcome.complete = false;
    out.findings = file.findings;
    to_json_fields(out, outcome.result);
    outcome.text = fmt::format("{}: {}\n", to_string(linear.model.status), linear.model.reason);
    report::Document d{.title = title, .subtitle = "Modes and frequency responses about the operating point"};
    d.key_figures.push_back(
        {.label = "Status", .value = to_string(linear.model.status), .quality = report::Quality::poor});
    d.section("What happened").add(report::Text{linear.model.reason + "."});
    outcome.document = std::move(d);
    return outcome;
  }
  linear.modes = modes(linear.model);
  respond(linear, job, progress);
  linear.response.name = title;
  if (progress.stop_requested()) {
    outcome.complete = false;
    out.status = "stopped";
    out.reason = "stopped by the user";
  }
  const std::vector<Finding> findings = findings_of(file, system, linear);
  out.modes = shown_modes(system, linear);
  out.frf = ResponsesShown{linear.response};
  out.findings = findings;
  std::vector<Finding> lost;
  const auto write = [&](const Exchange& part, const char* name) {
    outcome.files.push_back({name, exchange_bytes(part, name, {}, lost)});
  };
  Exchange shapes;
  shapes.modes = mode_set(system, linear, title);
  if (!shapes.modes->modes.empty()) write(shapes, "modes.uff");
  if (linear.response.frequency_hz.size() > 1) {
    Exchange responses;
    responses.response = linear.response;
    write(responses, "frf.h5");
    write(responses, "frf.csv");
    responses.geometry = geometry_of(system, linear);
    write(responses, "frf.uff");
  }
  out.files = names_of(outcome.files);
  to_json_fields(out, outcome.result);
  outcome.text = fmt::format("{} modes, {} responses\n", linear.modes.size(), linear.response.channels.size());
  for (std::size_t m = 0; m < linear.modes.size() && m < 12; ++m)
    outcome.text += fmt::format("  {:>10.4g} Hz  {:>7.3g} %  {}\n", linear.modes[m].frequency_hz,
                                100.0 * linear.modes[m].damping_ratio, mover(system, linear, linear.modes[m]));
  for (const Finding& f : findings)
    outcome.text += fmt::format("  {}: {} ({})\n    {}\n", to_string(f.severity), f.message, f.where, f.remedy);
  outcome.document = report_of(title, system, linear, findings);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
