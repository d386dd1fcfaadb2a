// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody_signals.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/insitu.hpp"

namespace kdyn::app {

using namespace mbs;

namespace {

constexpr std::array<const char*, 3> xyz = {"x", "y", "z"};
constexpr std::array<const char*, 6> axis_of = {"fx", "fy", "fz", "tx", "ty", "tz"};

int components(const Connection& c) { return c.kind == ConnectionKind::bushing ? 6 : 1; }
bool shown(const Marker& marker) { return !marker.name.empty() && marker.body >= 0; }

// Units of law parameters are those of the laws' own tables; the few names that are alike everywhere are known here.
std::string parameter_unit(const std::string& name, bool rotation) {
  if (name == "stiffness" || name == "static_stiffness" || name.ends_with(".static_stiffness")) return rotation ? "N*m/rad" : "N/m";
  if (name == "damping") return rotation ? "N*m*s/rad" : "N*s/m";
  return "";
}

}  // namespace

std::string axis_name(const Connection& c, int component) {
  return c.kind == ConnectionKind::bushing ? c.name + "." + axis_of[static_cast<std::size_t>(component)] : c.name;
}

const char* axis_unit(int component, bool load) { return load ? (component < 3 ? "N" : "N*m") : (component < 3 ? "m" : "rad"); }

void throw_unknown_name(const std::string& name, const std::vector<std::string>& known, const std::string& where) {
  throw_bad_input(where, fmt::format("the model has no {}", in_quotes(name)), suggest(name, known));
}

std::vector<NamedOutput> named_outputs(Model& model) {
  std::vector<NamedOutput> known;
  const auto of_point = [&](const std::string& name, int marker) {
    for (int k = 0; k < 3; ++k) {
      const std::string axis = xyz[static_cast<std::size_t>(k)];
      known.push_back({name + ".position." + axis, "m", {OutputKind::position, marker, k}});
      known.push_back({name + ".velocity." + axis, "m/s", {OutputKind::velocity, marker, k}});
      known.push_back({name + ".acceleration." + axis, "m/s^2", {OutputKind::acceleration, marker, k}});
    }
  };
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (shown(model.markers[m])) of_point(model.markers[m].name, static_cast<int>(m));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) of_point(model.bodies[b].name, model.add_marker(static_cast<int>(b), Vector3::Zero()));
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < components(model.connections[c]); ++k) {
      const std::string name = axis_name(model.connections[c], k);
      known.push_back({name + ".deflection", axis_unit(k, false), {OutputKind::deflection, static_cast<int>(c), k}});
      known.push_back({name + ".load", axis_unit(k, true), {OutputKind::load, static_cast<int>(c), k}});
    }
  return known;
}

std::vector<NamedInput> named_inputs(const Model& model, const std::vector<NamedOutput>& outputs) {
  std::vector<NamedInput> known;
  const auto of_point = [&](const std::string& name, int marker) {
    for (const bool torque : {false, true})
      for (int k = 0; k < 3; ++k)
        known.push_back(
            {name + (torque ? ".torque." : ".force.") + xyz[static_cast<std::size_t>(k)], torque ? "N*m" : "N", {marker, torque ? 3 + k : k}});
  };
  const std::string first = ".position.x";
  for (const NamedOutput& o : outputs)
    if (o.name.ends_with(first) && o.output.kind == OutputKind::position) of_point(o.name.substr(0, o.name.size() - first.size()), o.output.index);
  for (const PointLoad& load : model.loads) {
    const bool taken = std::any_of(known.begin(), known.end(), [&](const NamedInput& i) { return i.name == load.name + ".force.x"; });
    if (!load.name.empty() && !taken) of_point(load.name, load.marker);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const JointKind kind = model.joints[j].kind; kind == JointKind::drive_translation || kind == JointKind::drive_rotation)
      known.push_back({model.joints[j].name + ".drive", kind == JointKind::drive_translation ? "m" : "rad", {0, 0, static_cast<int>(j)}});
  return known;
}

std::vector<NamedParameter> named_parameters(const System& system) {
  std::vector<NamedParameter> known;
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const mbs::Axis& axis = system.axes()[a];
    const Connection& c = system.model().connections[static_cast<std::size_t>(axis.connection)];
    const auto& names = axis.law->parameter_names();
    for (std::size_t i = 0; i < names.size(); ++i)
      known.push_back({axis_name(c, axis.component) + "." + names[i],
                       parameter_unit(names[i], c.kind == ConnectionKind::bushing && axis.component > 2),
                       {Parameter::Kind::law, static_cast<int>(a), static_cast<int>(i)},
                       0.0});
  }
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b)
    if (system.modes(static_cast<int>(b)) == 0)
      known.push_back({system.model().bodies[b].name + ".mass", "kg", {Parameter::Kind::mass, static_cast<int>(b), 0}, 0.0});
  // Where a bushing sits, measured from the model: both markers, either of them, its orientation.
  for (std::size_t c = 0; c < system.model().connections.size(); ++c) {
    const Connection& connection = system.model().connections[c];
    if (connection.kind != ConnectionKind::bushing) continue;
    for (int k = 0; k < 3; ++k) {
      const auto add = [&](const char* what, const char* unit, Parameter::Kind kind, int side) {
        known.push_back({connection.name + what + xyz[static_cast<std::size_t>(k)], unit, {kind, static_cast<int>(c), k, side}, place_scale});
      };
      add(".position.", "m", Parameter::Kind::position, 0);
      add(".marker1.", "m", Parameter::Kind::position, 1);
      add(".marker2.", "m", Parameter::Kind::position, 2);
      add(".orientation.", "rad", Parameter::Kind::orientation, 0);
    }
  }
  return known;
}

Recorder::Recorder(const System& system)
    : system_(system),
      knows_energy_(system.bushings_without_potential().empty()),
      fastest_spin_(system.model().bodies.size(), 0.0) {
  const Model& model = system.model();
  for (const Body& body : model.bodies) {
    add_vector(body.name + ".position", "m", "Positions of bodies");
    add_vector(body.name + ".rotation", "rad", "Rotations of bodies");
    add_vector(body.name + ".velocity", "m/s", "Velocities of bodies");
    add_vector(body.name + ".angular_velocity", "rad/s", "Angular velocities of bodies");
    add_vector(body.name + ".acceleration", "m/s^2", "Accelerations of bodies");
    for (int k = 0; k < body.modes(); ++k) channels_.push_back({fmt::format("{}.mode_{}", body.name, k + 1), "m", "Mode coordinates", {}});
  }
  for (const Marker& marker : model.markers)
    if (shown(marker)) {
      add_vector(marker.name + ".position", "m", "Positions of markers");
      add_vector(marker.name + ".velocity", "m/s", "Velocities of markers");
      add_vector(marker.name + ".acceleration", "m/s^2", "Accelerations of markers");
    }
  for (const Connection& c : model.connections)
    for (int k = 0; k < components(c); ++k) {
      channels_.push_back({axis_name(c, k) + ".deflection", axis_unit(k, false), k < 3 ? "Deflections of mounts" : "Angles of mounts", {}});
      channels_.push_back({axis_name(c, k) + ".load", axis_unit(k, true), k < 3 ? "Forces of mounts" : "Moments of mounts", {}});
    }
  for (const Joint& joint : model.joints) {
    add_vector(joint.name + ".force", "N", "Reaction forces of joints");
    add_vector(joint.name + ".moment", "N*m", "Reaction moments of joints");
  }
  for (const char* name : {"energy.kinetic", "energy.gravity", "energy.modes"}) channels_.push_back({name, "J", "Energies", {}});
  if (!knows_energy_) return;
  for (const char* name : {"energy.connections", "energy.total"}) channels_.push_back({name, "J", "Energies", {}});
}

void Recorder::add_vector(const std::string& name, const char* unit, const char* group) {
  for (const char* k : xyz) channels_.push_back({name + "." + k, unit, group, {}});
}

void Recorder::record(const RunState& s, const Evaluation& e) {
  const Model& model = system_.model();
  std::size_t at = 0;
  const auto put = [&](double value) { channels_[at++].values.push_back(value); };
  const auto put_vector = [&](const Vector3& v) {
    for (int k = 0; k < 3; ++k) put(v[k]);
  };
  time_.push_back(s.t);
  largest_gap_ = std::max(largest_gap_, system_.dropped_gap(s.t, e));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int q = system_.q_at(static_cast<int>(b)), n = model.bodies[b].modes();
    const Matrix3 A = Eigen::Map<const Matrix3>(s.q.data() + q + 3);
    const Eigen::AngleAxisd turn(A);
    const Vector3 spin = vect(Eigen::Map<const Matrix3>(s.v.data() + q + 3) * A.transpose());
    fastest_spin_[b] = std::max(fastest_spin_[b], spin.norm());
    put_vector(s.q.segment<3>(q));
    put_vector(turn.angle() * turn.axis());
    put_vector(s.v.segment<3>(q));
    put_vector(spin);
    put_vector(s.vd.segment<3>(q));
    for (int k = 0; k < n; ++k) put(s.q[q + 12 + 9 * n + k]);
  }
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (shown(model.markers[m])) {
      put_vector(e.frame[m].u);
      put_vector(e.rate[m].u);
      put_vector(system_.frame_of(static_cast<int>(m), s.vd, true).u);
    }
  std::vector<Vector6> loads;
  for (const Connection& c : model.connections) loads.push_back(c.preload);
  for (std::size_t a = 0; a < system_.axes().size(); ++a)
    loads[static_cast<std::size_t>(system_.axes()[a].connection)][system_.axes()[a].component] += e.load[a];
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < components(model.connections[c]); ++k) {
      put(e.measure[c].x[k]);
      put(loads[c][k]);
      if (k > 2 && model.connections[c].measure == RotationMeasure::vect) largest_vect_ = std::max(largest_vect_, std::abs(e.measure[c].x[k]));
    }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    Vector3 force, moment;
    system_.joint_reaction(static_cast<int>(j), s.lambda, s.t, e, force, moment);
    put_vector(force);
    put_vector(moment);
  }
  const auto energy = system_.energy(s.q, s.v, s.laws, e);
  for (const double part : {energy.kinetic, energy.gravity, energy.modes}) put(part);
  if (!knows_energy_) return;
  put(energy.connections);
  put(energy.kinetic + energy.gravity + energy.modes + energy.connections);
}

}  // namespace kdyn::app
