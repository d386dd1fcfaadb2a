// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/signals.hpp"

#include <array>

#include <fmt/format.h>

#include "kdyn/element/bushing.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {
namespace {

constexpr std::array<const char*, 3> xyz = {"x", "y", "z"};

const char* group_of(SensorKind kind) {
  switch (kind) {
    case SensorKind::accelerometer: return "Accelerations of sensors";
    case SensorKind::gyro: return "Spins of sensors";
    case SensorKind::angle: return "Angles of sensors";
    case SensorKind::displacement:
    case SensorKind::string_pot: return "Displacements of sensors";
    case SensorKind::force: return "Forces of sensors";
    case SensorKind::moment: return "Moments of sensors";
    case SensorKind::strain: return "Strains of sensors";
  }
  return "";
}

}  // namespace

int component_count(const Connection& c) { return c.kind == ConnectionKind::bushing ? 6 : 1; }
bool is_shown(const Marker& marker) { return !marker.name.empty() && marker.body >= 0; }

std::string axis_name(const Connection& c, int component) {
  return c.kind == ConnectionKind::bushing ? c.name + "." + axis_names[static_cast<std::size_t>(component)] : c.name;
}

std::vector<Vector6> connection_loads(const System& system, const Evaluation& e) {
  std::vector<Vector6> loads;
  for (std::size_t c = 0; c < system.model().connections.size(); ++c) loads.push_back(system.given_load(c, e));
  for (std::size_t a = 0; a < system.axes().size(); ++a)
    loads[static_cast<std::size_t>(system.axes()[a].connection)][system.axes()[a].component] += e.load[a];
  return loads;
}

const char* axis_unit(int component, bool load) {
  return load ? (component < 3 ? "N" : "N*m") : (component < 3 ? "m" : "rad");
}

Vector3 spin_of(const System& system, int body, const RunState& s) {
  const int q = system.q_at(body);
  const Matrix3 A = Eigen::Map<const Matrix3>(s.q.data() + q + 3);
  return vect(Eigen::Map<const Matrix3>(s.v.data() + q + 3) * A.transpose());
}

Signals::Signals(const System& system)
    : system_(system),
      knows_energy_(system.bushings_without_potential().empty() && system.laws_without_energy().empty()) {
  const Model& model = system.model();
  for (const Body& body : model.bodies) {
    add_vector(body.name + ".position", "m", "Positions of bodies");
    add_vector(body.name + ".rotation", "rad", "Rotations of bodies");
    add_vector(body.name + ".velocity", "m/s", "Velocities of bodies");
    add_vector(body.name + ".angular_velocity", "rad/s", "Angular velocities of bodies");
    add_vector(body.name + ".acceleration", "m/s^2", "Accelerations of bodies");
    for (int k = 0; k < body.modes(); ++k)
      list_.push_back({fmt::format("{}.mode_{}", body.name, k + 1), "m", "Mode coordinates"});
  }
  for (const Marker& marker : model.markers)
    if (is_shown(marker)) {
      add_vector(marker.name + ".position", "m", "Positions of markers");
      add_vector(marker.name + ".velocity", "m/s", "Velocities of markers");
      add_vector(marker.name + ".acceleration", "m/s^2", "Accelerations of markers");
    }
  for (const Connection& c : model.connections)
    for (int k = 0; k < component_count(c); ++k) {
      list_.push_back(
          {axis_name(c, k) + ".deflection", axis_unit(k, false), k < 3 ? "Deflections of mounts" : "Angles of mounts"});
      list_.push_back(
          {axis_name(c, k) + ".load", axis_unit(k, true), k < 3 ? "Forces of mounts" : "Moments of mounts"});
    }
  for (const Joint& joint : model.joints) {
    add_vector(joint.name + ".force", "N", "Reaction forces of joints");
    add_vector(joint.name + ".moment", "N*m", "Reaction moments of joints");
  }
  for (const SensorChannel& c : model.channels)
    list_.push_back({c.name, c.unit, group_of(model.sensors[static_cast<std::size_t>(c.sensor)].kind)});
  for (const char* name : {"energy.kinetic", "energy.gravity", "energy.modes"})
    list_.push_back({name, "J", "Energies"});
  if (!knows_energy_) return;
  for (const char* name : {"energy.connections", "energy.total"}) list_.push_back({name, "J", "Energies"});
}

void Signals::add_vector(const std::string& name, const char* unit, const char* group) {
  for (const char* k : xyz) list_.push_back({name + "." + k, unit, group});
}

void Signals::values(const RunState& s, const Evaluation& e, std::vector<double>& out) const {
  const Model& model = system_.model();
  out.clear();
  const auto put = [&](double value) { out.push_back(value); };
  const auto put_vector = [&](const Vector3& v) {
    for (int k = 0; k < 3; ++k) put(v[k]);
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int q = system_.q_at(static_cast<int>(b)), n = model.bodies[b].modes();
    const Eigen::AngleAxisd turn(Matrix3(Eigen::Map<const Matrix3>(s.q.data() + q + 3)));
    put_vector(s.q.segment<3>(q));
    put_vector(turn.angle() * turn.axis());
    put_vector(s.v.segment<3>(q));
    put_vector(spin_of(system_, static_cast<int>(b), s));
    put_vector(s.vd.segment<3>(q));
    for (int k = 0; k < n; ++k) put(s.q[q + 12 + 9 * n + k]);
  }
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (is_shown(model.markers[m])) {
      put_vector(e.frame[m].u);
      put_vector(e.rate[m].u);
      put_vector(system_.frame_of(static_cast<int>(m), s.vd, true).u);
    }
  const std::vector<Vector6> loads = connection_loads(system_, e);
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < component_count(model.connections[c]); ++k) {
      put(e.measure[c].x[k]);
      put(loads[c][k]);
    }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    Vector3 force, moment;
    system_.joint_reaction(static_cast<int>(j), s.lambda, s.t, e, force, moment);
    put_vector(force);
    put_vector(moment);
  }
  for (const SensorChannel& c : model.channels) put(c.gain * output_value(system_, c.output, s, e) + c.offset);
  const auto energy = system_.energy(s.q, s.v, s.laws, e);
  for (const double part : {energy.kinetic, energy.gravity, energy.modes}) put(part);
  if (!knows_energy_) return;
  put(energy.connections);
  put(energy.kinetic + energy.gravity + energy.modes + energy.connections);
}

}  // namespace kdyn::mbs
