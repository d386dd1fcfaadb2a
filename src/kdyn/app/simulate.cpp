// SPDX-License-Identifier: Apache-2.0
// kdyn simulate: a multibody model file in, motion, loads, reactions and energies out.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/multibody_jobs.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::SimulateJob>() {
  using J = app::SimulateJob;
  static const FieldTable table = FieldTable::of<J>("simulate", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Multibody model file (docs/multibody.md)").from_words().must_be_given();
    t.add(&J::step_s, "step_s", "s", "Time step instead of the model's").above(0.0);
    t.add(&J::duration_s, "duration_s", "s", "Duration instead of the model's").at_least(0.0);
    t.add(&J::samples, "samples", "-", "Most samples of each signal in result.json; series.csv has every step").range(2, 1e7);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

using namespace mbs;

struct Channel {
  std::string name, unit, group;
  std::vector<double> values;
};

constexpr std::array<const char*, 3> xyz = {"x", "y", "z"};
constexpr std::array<const char*, 6> axis_of = {"fx", "fy", "fz", "tx", "ty", "tz"};

// Every signal of a run: bodies, named markers, connections, joints, energies.
class Recorder {
 public:
  explicit Recorder(const System& system) : system_(system) {
    const Model& model = system.model();
    for (const Body& body : model.bodies) {
      add_vector(body.name + ".position", "m", "Positions");
      add_vector(body.name + ".velocity", "m/s", "Velocities");
      add_vector(body.name + ".acceleration", "m/s^2", "Accelerations");
      add_vector(body.name + ".angular_velocity", "rad/s", "Angular velocities");
      for (int k = 0; k < body.modes(); ++k) channels.push_back({fmt::format("{}.mode_{}", body.name, k + 1), "m", "Modes", {}});
    }
    for (const Marker& marker : model.markers)
      if (shown(marker)) {
        add_vector(marker.name + ".position", "m", "Positions");
        add_vector(marker.name + ".acceleration", "m/s^2", "Accelerations");
      }
    for (const Connection& c : model.connections)
      for (int k = 0; k < (c.kind == ConnectionKind::bushing ? 6 : 1); ++k) {
        const std::string name = c.kind == ConnectionKind::bushing ? c.name + "." + axis_of[static_cast<std::size_t>(k)] : c.name;
        channels.push_back({name + ".deflection", k < 3 ? "m" : "rad", k < 3 ? "Deflections of connections" : "Angles of connections", {}});
        channels.push_back({name + ".load", k < 3 ? "N" : "N*m", k < 3 ? "Forces of connections" : "Moments of connections", {}});
      }
    for (const Joint& joint : model.joints) {
      add_vector(joint.name + ".force", "N", "Forces of joints");
      add_vector(joint.name + ".moment", "N*m", "Moments of joints");
    }
    for (const char* name : {"energy.kinetic", "energy.gravity", "energy.modes", "energy.connections", "energy.total"})
      channels.push_back({name, "J", "Energies", {}});
  }

  void record(const RunState& s, const Evaluation& e) {
    const Model& model = system_.model();
    std::size_t at = 0;
    const auto put = [&](double value) { channels[at++].values.push_back(value); };
    const auto put_vector = [&](const Vector3& v) { put(v[0]), put(v[1]), put(v[2]); };
    time.push_back(s.t);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const int q = system_.q_at(static_cast<int>(b));
      const int n = model.bodies[b].modes();
      put_vector(s.q.segment<3>(q));
      put_vector(s.v.segment<3>(q));
      put_vector(s.vd.segment<3>(q));
      put_vector(vect(Eigen::Map<const Matrix3>(s.v.data() + q + 3) * Eigen::Map<const Matrix3>(s.q.data() + q + 3).transpose()));
      for (int k = 0; k < n; ++k) put(s.q[q + 12 + 9 * n + k]);
    }
    for (std::size_t m = 0; m < model.markers.size(); ++m)
      if (shown(model.markers[m])) {
        put_vector(e.frame[m].u);
        put_vector(system_.frame_of(static_cast<int>(m), s.vd, true).u);
      }
    std::vector<Vector6> loads;
    for (const Connection& c : model.connections) loads.push_back(c.preload);
    for (std::size_t a = 0; a < system_.axes().size(); ++a)
      loads[static_cast<std::size_t>(system_.axes()[a].connection)][system_.axes()[a].component] += e.load[a];
    for (std::size_t c = 0; c < model.connections.size(); ++c)
      for (int k = 0; k < (model.connections[c].kind == ConnectionKind::bushing ? 6 : 1); ++k) {
        put(e.measure[c].x[k]);
        put(loads[c][k]);
        if (model.connections[c].kind == ConnectionKind::bushing && model.connections[c].measure == RotationMeasure::vect && k > 2)
          largest_vect = std::max(largest_vect, std::abs(e.measure[c].x[k]));
      }
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      Vector3 force, moment;
      system_.joint_reaction(static_cast<int>(j), s.lambda, s.t, e, force, moment);
      put_vector(force);
      put_vector(moment);
    }
    const auto energy = system_.energy(s.q, s.v, s.laws, e);
    put(energy.kinetic), put(energy.gravity), put(energy.modes), put(energy.connections);
    put(energy.kinetic + energy.gravity + energy.modes + energy.connections);
  }

  std::vector<double> time;
  std::vector<Channel> channels;
  double largest_vect = 0.0;  // sine of the largest angle seen by the vect measure

 private:
  static bool shown(const Marker& marker) { return !marker.name.empty() && marker.body >= 0; }
  void add_vector(const std::string& name, const char* unit, const char* group) {
    for (const char* k : xyz) channels.push_back({name + "." + k, unit, group, {}});
  }
  const System& system_;
};

Json series_json(const Recorder& record, int samples) {
  const std::size_t count = record.time.size(),
                    every = std::max<std::size_t>(1, (count + static_cast<std::size_t>(samples) - 2) / (static_cast<std::size_t>(samples) - 1));
  const auto thin = [&](const std::vector<double>& all) {
    std::vector<double> some;
    for (std::size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
    return some;
  };
  Json out = {{"time_s", thin(record.time)}, {"every", every}};
  for (const Channel& channel : record.channels) out["signals"][channel.name] = {{"unit", channel.unit}, {"values", thin(channel.values)}};
  return out;
}

std::string series_table(const Recorder& record) {
  std::string text = "time [s]";
  for (const Channel& channel : record.channels) text += fmt::format(",{} [{}]", channel.name, channel.unit);
  text += "\n";
  for (std::size_t i = 0; i < record.time.size(); ++i) {
    text += fmt::format("{:.9g}", record.time[i]);
    for (const Channel& channel : record.channels) text += fmt::format(",{:.9g}", channel.values[i]);
    text += "\n";
  }
  return text;
}

report::Document report_of(const std::string& title, const System& system, const RunResult& result, const Recorder& record, const RunOptions& options,
                           const std::vector<Finding>& findings) {
  using namespace report;
  Document d{.title = title, .subtitle = "Multibody simulation"};
  const bool done = result.status == RunStatus::done;
  d.key_figures.push_back(
      {.label = "Status", .value = to_string(result.status), .quality = done ? Quality::good : Quality::poor, .note = result.reason});
  d.key_figures.push_back({.label = "Reached", .value = result.last_time, .unit = "s", .note = fmt::format("step {:.3g} s", options.step_s)});
  d.key_figures.push_back({.label = "Bodies",
                           .value = system.model().bodies.size(),
                           .note = fmt::format("{} degrees of freedom", system.tangents() - system.multipliers())});
  if (result.counts.steps > 0)
    d.key_figures.push_back({.label = "Newton iterations per step",
                             .value = static_cast<double>(result.counts.iterations) / static_cast<double>(result.counts.steps),
                             .note = fmt::format("{} factorisations", result.counts.factorisations),
                             .digits = 3});
  std::vector<std::string> groups;
  for (const Channel& channel : record.channels)
    if (std::find(groups.begin(), groups.end(), channel.group) == groups.end()) groups.push_back(channel.group);
  for (const std::string& group : groups) {
    Plot plot{.title = group, .x = {"Time", "s"}};
    for (const Channel& channel : record.channels) {
      if (channel.group != group) continue;
      const auto [low, high] = std::minmax_element(channel.values.begin(), channel.values.end());
      // Signals that stay at zero only fill the legend.
      if (channel.values.empty() || (std::abs(*low) < 1e-12 && std::abs(*high) < 1e-12)) continue;
      const DisplayUnit unit = group == "Deflections of connections" ? display_unit(channel.unit) : DisplayUnit{channel.unit, 1.0};
      plot.y = {group, unit.unit};
      Series series{.name = channel.name, .x = record.time, .y = channel.values};
      for (double& y : series.y) y *= unit.factor;
      plot.series.push_back(std::move(series));
    }
    if (!plot.series.empty()) d.section(group).add(std::move(plot));
  }
  d.section("Findings").add(Findings{.findings = findings, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace

Outcome simulate_job(const SimulateJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  ModelFile file = model_from_json(parse_json(content, job.model), job.model, std::filesystem::path(job.model).parent_path().string());
  if (job.step_s) file.run.step_s = *job.step_s;
  if (job.duration_s) file.run.duration_s = *job.duration_s;
  const System system(file.model);
  Recorder record(system);
  const RunResult run = simulate(
      system, file.run, [&](const RunState& s, const Evaluation& e) { record.record(s, e); }, progress);
  Outcome outcome;
  outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(content)}});
  outcome.complete = run.status == RunStatus::done;
  std::vector<Finding> findings = system.findings();
  // Above 10 degrees the vect measure is softer than the angle by 1.5 % and more.
  if (record.largest_vect > 0.1736)
    findings.push_back(
        {Severity::warning, "vect_angle", "bushings",
         fmt::format("a bushing with the vect measure turns by {:.1f} degrees", std::asin(std::min(1.0, record.largest_vect)) * 57.29577951308232),
         "use \"measure\": \"log\" where bushings turn by more than 10 degrees"});
  Json& out = outcome.result;
  out["status"] = to_string(run.status);
  out["reason"] = run.reason;
  out["last_time_s"] = run.last_time;
  out["counts"] = {{"steps", run.counts.steps}, {"iterations", run.counts.iterations}, {"factorisations", run.counts.factorisations}};
  to_json_fields(file.run, out["run"]);
  out["series"] = series_json(record, job.samples);
  out["findings"] = to_json(findings);
  to_json_fields(job, out["options_used"]);
  outcome.files.push_back({"series.csv", series_table(record)});
  outcome.text = fmt::format("{}: {} steps to {:.6g} s\n", to_string(run.status), run.counts.steps, run.last_time);
  if (!run.reason.empty()) outcome.text += "  " + run.reason + "\n";
  const std::string title = file.model.title.empty() ? std::filesystem::path(job.model).stem().string() : file.model.title;
  outcome.document = report_of(title, system, run, record, file.run, findings);
  return outcome;
}

}  // namespace kdyn::app
