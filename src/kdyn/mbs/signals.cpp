// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/signals.hpp"

#include <array>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
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

Vector3 rotation_vector_of(const System& system, int body, const RunState& s) {
  const Eigen::AngleAxisd turn(Matrix3(Eigen::Map<const Matrix3>(s.q.data() + system.q_at(body) + 3)));
  return turn.angle() * turn.axis();
}

Vector3 spin_of(const System& system, int body, const RunState& s) {
  const int q = system.q_at(body);
  const Matrix3 A = Eigen::Map<const Matrix3>(s.q.data() + q + 3);
  return vect(Eigen::Map<const Matrix3>(s.v.data() + q + 3) * A.transpose());
}

Signals::Signals(const System& system)
    : system_(system),
      knows_energy_(system.bushings_without_potential().empty() && system.laws_without_energy().empty()),
      laws_(system.model().connections.size(), std::vector<int>(6, -1)) {
  const Model& model = system.model();
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const Axis& axis = system.axes()[a];
    laws_[static_cast<std::size_t>(axis.connection)][static_cast<std::size_t>(axis.component)] = static_cast<int>(a);
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const int at = static_cast<int>(b);
    add_vector(Kind::position, at, body.name + ".position", "m", "Positions of bodies");
    add_vector(Kind::rotation, at, body.name + ".rotation", "rad", "Rotations of bodies");
    add_vector(Kind::velocity, at, body.name + ".velocity", "m/s", "Velocities of bodies");
    add_vector(Kind::spin, at, body.name + ".angular_velocity", "rad/s", "Angular velocities of bodies");
    add_vector(Kind::acceleration, at, body.name + ".acceleration", "m/s^2", "Accelerations of bodies");
    std::vector<SignalInfo> modes;
    for (int k = 0; k < body.modes(); ++k)
      modes.push_back({fmt::format("{}.mode_{}", body.name, k + 1), "m", "Mode coordinates"});
    if (!modes.empty()) add({.kind = Kind::modes, .index = at}, std::move(modes));
  }
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (const Marker& marker = model.markers[m]; is_shown(marker)) {
      const int at = static_cast<int>(m);
      add_vector(Kind::marker_position, at, marker.name + ".position", "m", "Positions of markers");
      add_vector(Kind::marker_velocity, at, marker.name + ".velocity", "m/s", "Velocities of markers");
      add_vector(Kind::marker_acceleration, at, marker.name + ".acceleration", "m/s^2", "Accelerations of markers");
    }
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < component_count(model.connections[c]); ++k) {
      const std::string name = axis_name(model.connections[c], k);
      add({.kind = Kind::connection, .index = static_cast<int>(c), .component = k},
          {{name + ".deflection", axis_unit(k, false), k < 3 ? "Deflections of mounts" : "Angles of mounts"},
           {name + ".load", axis_unit(k, true), k < 3 ? "Forces of mounts" : "Moments of mounts"}});
    }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int at = static_cast<int>(j);
    add_vector(Kind::reaction_force, at, model.joints[j].name + ".force", "N", "Reaction forces of joints");
    add_vector(Kind::reaction_moment, at, model.joints[j].name + ".moment", "N*m", "Reaction moments of joints");
  }
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    const SensorChannel& channel = model.channels[c];
    add({.kind = Kind::sensor, .index = static_cast<int>(c)},
        {{channel.name, channel.unit, group_of(model.sensors[static_cast<std::size_t>(channel.sensor)].kind)}});
  }
  for (std::size_t i = 0; i < model.tyres.size(); ++i) {
    const std::string& name = model.tyres[i].name;
    std::vector<SignalInfo> about = {{name + ".fz", "N", "Forces of tyres"}};
    if (model.tyres[i].states() > 0) {
      for (const char* k : {".fx", ".fy"}) about.push_back({name + k, "N", "Forces of tyres"});
      for (const char* k : {".mx", ".my", ".mz"}) about.push_back({name + k, "N*m", "Moments of tyres"});
      for (const char* k : {".longitudinal_slip", ".lateral_slip"}) about.push_back({name + k, "-", "Slips of tyres"});
    }
    about.push_back({name + ".speed", "m/s", "Speeds of tyres"});
    about.push_back({name + ".camber", "rad", "Cambers of tyres"});
    about.push_back({name + ".deflection", "m", "Deflections of tyres"});
    for (const char* k : xyz) about.push_back({name + ".contact." + k, "m", "Contact points of tyres"});
    for (const char* k : xyz) about.push_back({name + ".force." + k, "N", "Forces of tyres, global axes"});
    add({.kind = Kind::tyre, .index = static_cast<int>(i)}, std::move(about));
  }
  for (std::size_t c = 0; c < model.controllers.size(); ++c) {
    const Controller& controller = model.controllers[c];
    std::vector<SignalInfo> about;
    // One picture for each unit.
    for (std::size_t k = 0; k < controller.output_names.size(); ++k) {
      const std::string& unit = controller.output_units[k];
      about.push_back({fmt::format("{}.{}", controller.name, controller.output_names[k]), unit,
                       "Outputs of controllers" + (unit == "-" ? "" : " in " + unit)});
    }
    for (const std::string& name : controller.input_names)
      about.push_back({fmt::format("{}.in.{}", controller.name, name), "-", "Inputs of controllers"});
    for (int k = 0; k < controller.states(); ++k)
      about.push_back({fmt::format("{}.state_{}", controller.name, k + 1), "-", "States of controllers"});
    add({.kind = Kind::controller, .index = static_cast<int>(c)}, std::move(about));
  }
  std::vector<SignalInfo> energies;
  for (const char* name : {"energy.kinetic", "energy.gravity", "energy.modes"})
    energies.push_back({name, "J", "Energies"});
  if (knows_energy_)
    for (const char* name : {"energy.connections", "energy.total"}) energies.push_back({name, "J", "Energies"});
  add({.kind = Kind::energy, .index = 0}, std::move(energies));
  look_at_needs();
}

void Signals::add(const Part& part, std::vector<SignalInfo> about) {
  Part& added = parts_.emplace_back(part);
  for (SignalInfo& one : about) {
    added.wanted.push_back(static_cast<int>(added.wanted.size()));
    list_.push_back(std::move(one));
  }
}

void Signals::add_vector(Kind kind, int index, const std::string& name, const char* unit, const char* group) {
  std::vector<SignalInfo> about;
  for (const char* k : xyz) about.push_back({name + "." + k, unit, group});
  add({.kind = kind, .index = index}, std::move(about));
}

void Signals::choose(const std::vector<bool>& wanted) {
  demand(wanted.size() == list_.size(), "there is a flag for each signal");
  std::vector<SignalInfo> list;
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const Part& part : parts_) {
    Part chosen = part;
    chosen.wanted.clear();
    for (const int k : part.wanted) {
      if (wanted[at]) chosen.wanted.push_back(k), list.push_back(std::move(list_[at]));
      ++at;
    }
    if (!chosen.wanted.empty()) parts.push_back(std::move(chosen));
  }
  parts_ = std::move(parts);
  list_ = std::move(list);
  look_at_needs();
}

void Signals::look_at_needs() {
  const Model& model = system_.model();
  const std::size_t few = 8;  // the whole costs as much as so many parts of it
  std::size_t measured = 0;
  needs_evaluation_ = false;
  for (const Part& part : parts_) {
    if (part.kind == Kind::connection) {
      const Connection& c = model.connections[static_cast<std::size_t>(part.index)];
      // Formulas may be part of its load.
      needs_evaluation_ =
          needs_evaluation_ || c.coupling != Coupling::none || system_.has_formulas() || ++measured > few;
    }
    needs_evaluation_ = needs_evaluation_ || part.kind == Kind::reaction_force || part.kind == Kind::reaction_moment ||
                        part.kind == Kind::sensor || part.kind == Kind::tyre || part.kind == Kind::controller ||
                        part.kind == Kind::energy;
  }
}

void Signals::values(const RunState& s, const Evaluation& e, std::vector<double>& out) const { read(s, &e, out); }

void Signals::values(const Run& run, std::vector<double>& out) const {
  if (needs_evaluation_ || run.is_complete())
    read(run.state(), &run.evaluation(), out);
  else
    read(run.moved(), nullptr, out);
}

void Signals::read(const RunState& s, const Evaluation* e, std::vector<double>& out) const {
  const Model& model = system_.model();
  out.clear();
  for (const Part& part : parts_) {
    const auto at = static_cast<std::size_t>(part.index);
    const auto put = [&](const auto& values) {
      for (const int k : part.wanted) out.push_back(values[k]);
    };
    switch (part.kind) {
      case Kind::position: put(s.q.data() + system_.q_at(part.index)); break;
      case Kind::rotation: put(rotation_vector_of(system_, part.index, s)); break;
      case Kind::velocity: put(s.v.data() + system_.q_at(part.index)); break;
      case Kind::spin: put(spin_of(system_, part.index, s)); break;
      case Kind::acceleration: put(s.vd.data() + system_.q_at(part.index)); break;
      case Kind::modes: put(s.q.data() + system_.q_at(part.index) + 12 + 9 * model.bodies[at].modes()); break;
      case Kind::marker_position: put(e ? e->frame[at].u : system_.frame_of(part.index, s.q, false).u); break;
      case Kind::marker_velocity: put(e ? e->rate[at].u : system_.frame_of(part.index, s.v, true).u); break;
      case Kind::marker_acceleration: put(system_.frame_of(part.index, s.vd, true).u); break;
      case Kind::connection: {
        const auto k = static_cast<std::size_t>(part.component);
        const int law = laws_[at][k];
        const BushingMeasure own = e ? BushingMeasure() : system_.measure(part.index, s.q, s.v);
        const BushingMeasure& m = e ? e->measure[at] : own;
        double load = e ? system_.given_load(at, *e)[part.component] : model.connections[at].preload[part.component];
        if (law >= 0 && e) load += e->load[static_cast<std::size_t>(law)];
        // Without an evaluation no law remembers anything: the motion is all it needs.
        if (law >= 0 && !e)
          load += model.connections[at].laws[k]->force({.to = {m.x[part.component], m.rate[part.component]}}, nullptr);
        put(std::array<double, 2>{m.x[part.component], load}.data());
        break;
      }
      case Kind::reaction_force:
      case Kind::reaction_moment: {
        Vector3 force, moment;
        system_.joint_reaction(part.index, s.lambda, s.t, *e, force, moment);
        put(part.kind == Kind::reaction_force ? force : moment);
        break;
      }
      case Kind::sensor: {
        const SensorChannel& c = model.channels[at];
        out.push_back(c.gain * output_value(system_, c.output, s, *e) + c.offset);
        break;
      }
      case Kind::tyre: {
        const TyreForce<double> f = system_.tyre_force(at, s.t, *e);
        std::vector<double> all = {f.load};
        if (model.tyres[at].states() > 0)
          for (const double x : {f.fx, f.fy, f.mx, f.my, f.mz, f.slip_x, f.slip_y}) all.push_back(x);
        for (const double x : {f.speed, f.camber, f.deflection, f.contact[0], f.contact[1], f.contact[2], f.force[0],
                               f.force[1], f.force[2]})
          all.push_back(x);
        put(all.data());
        break;
      }
      case Kind::controller: {
        const Controller& c = model.controllers[at];
        const ControlPlace& place = system_.control_at()[at];
        std::vector<double> values(e->control.y.data() + place.y, e->control.y.data() + place.y + c.outputs());
        values.insert(values.end(), e->control.u.data() + place.u, e->control.u.data() + place.u + c.B.cols());
        const VectorX& states = c.sampled() ? s.laws.held : s.laws.w;
        const double* x = states.data() + (c.sampled() ? place.x : system_.control_state_at(at));
        values.insert(values.end(), x, x + c.states());
        put(values.data());
        break;
      }
      case Kind::energy: {
        const auto energy = system_.energy(s.q, s.v, s.laws, *e);
        put(std::array<double, 5>{energy.kinetic, energy.gravity, energy.modes, energy.connections,
                                  energy.kinetic + energy.gravity + energy.modes + energy.connections}
                .data());
        break;
      }
    }
  }
}

}  // namespace kdyn::mbs
