// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/multibody_signals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/angular_unit.hpp"
#include "kdyn/insitu/insitu.hpp"
#include "kdyn/insitu/sampling.hpp"

namespace kdyn::app {

using namespace mbs;

namespace {

constexpr std::array<const char*, 3> xyz = {"x", "y", "z"};

// Units of law parameters are those of the laws' own tables; the few names that are alike everywhere are known here.
std::string parameter_unit(const std::string& name, bool rotation) {
  const bool stiffness = name == "stiffness" || name == "static_stiffness" || name.ends_with(".static_stiffness");
  const char* unit = stiffness ? "N/m" : name == "damping" ? "N*s/m" : "";
  return rotation ? angular_unit(unit) : unit;
}

}  // namespace

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
    if (is_shown(model.markers[m])) of_point(model.markers[m].name, static_cast<int>(m));
  std::vector<int> origins;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    origins.push_back(model.add_marker(static_cast<int>(b), Vector3::Zero()));
    of_point(model.bodies[b].name, origins.back());
  }
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < component_count(model.connections[c]); ++k) {
      const std::string name = axis_name(model.connections[c], k);
      known.push_back({name + ".deflection", axis_unit(k, false), {OutputKind::deflection, static_cast<int>(c), k}});
      known.push_back({name + ".load", axis_unit(k, true), {OutputKind::load, static_cast<int>(c), k}});
    }
  const int ground = model.add_marker(-1, Vector3::Zero());
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    for (int k = 0; k < 3; ++k) {
      const std::string& name = model.bodies[b].name;
      const char* axis = xyz[static_cast<std::size_t>(k)];
      known.push_back({name + ".rotation." + axis,
                       "rad",
                       {.kind = OutputKind::angle, .index = ground, .component = k, .second = origins[b]}});
      known.push_back({name + ".angular_velocity." + axis,
                       "rad/s",
                       {.kind = OutputKind::spin, .index = origins[b], .component = k, .own_axes = false}});
    }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (const bool moment : {false, true})
      for (int k = 0; k < 3; ++k)
        known.push_back({model.joints[j].name + (moment ? ".moment." : ".force.") + xyz[static_cast<std::size_t>(k)],
                         moment ? "N*m" : "N",
                         {.kind = moment ? OutputKind::reaction_moment : OutputKind::reaction_force,
                          .index = static_cast<int>(j),
                          .component = k,
                          .own_axes = false}});
  for (const SensorChannel& c : model.channels)
    known.push_back({c.name, c.unit, c.output, c.gain, c.offset, c.delay_s, c.sensor});
  return known;
}

std::vector<NamedInput> named_inputs(const Model& model, const std::vector<NamedOutput>& outputs) {
  std::vector<NamedInput> known;
  const auto of_point = [&](const std::string& name, int marker) {
    for (const bool torque : {false, true})
      for (int k = 0; k < 3; ++k)
        known.push_back({name + (torque ? ".torque." : ".force.") + xyz[static_cast<std::size_t>(k)],
                         torque ? "N*m" : "N",
                         {marker, torque ? 3 + k : k}});
  };
  const std::string first = ".position.x";
  for (const NamedOutput& o : outputs)
    if (o.name.ends_with(first) && o.output.kind == OutputKind::position)
      of_point(o.name.substr(0, o.name.size() - first.size()), o.output.index);
  for (const PointLoad& load : model.loads) {
    const bool taken =
        std::any_of(known.begin(), known.end(), [&](const NamedInput& i) { return i.name == load.name + ".force.x"; });
    if (!load.name.empty() && !taken) of_point(load.name, load.marker);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const JointKind kind = model.joints[j].kind;
        kind == JointKind::drive_translation || kind == JointKind::drive_rotation)
      known.push_back({model.joints[j].name + ".drive",
                       kind == JointKind::drive_translation ? "m" : "rad",
                       {0, 0, static_cast<int>(j)}});
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
      known.push_back(
          {system.model().bodies[b].name + ".mass", "kg", {Parameter::Kind::mass, static_cast<int>(b), 0}, 0.0});
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    const std::string& name = system.model().bodies[b].name;
    const auto body = static_cast<int>(b);
    if (system.modes(body) > 0) {
      if (!system.model().bodies[b].damping.isZero(0.0))
        known.push_back({name + ".modal_damping", "-", {Parameter::Kind::modal_damping, body, 0}, 0.0});
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      const char* axis = xyz[static_cast<std::size_t>(k)];
      known.push_back({name + ".inertia." + axis, "kg*m^2", {Parameter::Kind::inertia, body, k}, 0.0});
      known.push_back({name + ".centre." + axis, "m", {Parameter::Kind::centre, body, k}, place_scale});
    }
  }
  // Where a bushing sits, measured from the model: both markers, either of them, its orientation.
  for (std::size_t c = 0; c < system.model().connections.size(); ++c) {
    const Connection& connection = system.model().connections[c];
    if (connection.kind != ConnectionKind::bushing) continue;
    for (int k = 0; k < 3; ++k) {
      const auto add = [&](const char* what, const char* unit, Parameter::Kind kind, int side) {
        known.push_back({connection.name + what + xyz[static_cast<std::size_t>(k)],
                         unit,
                         {kind, static_cast<int>(c), k, side},
                         place_scale});
      };
      add(".position.", "m", Parameter::Kind::position, 0);
      add(".marker1.", "m", Parameter::Kind::position, 1);
      add(".marker2.", "m", Parameter::Kind::position, 2);
      add(".orientation.", "rad", Parameter::Kind::orientation, 0);
    }
  }
  // [mbs E40] Signals of loads and drives.
  const Model& model = system.model();
  using Reach = NamedParameter::Reach;
  const auto add_signal = [&](const TimeSignal& signal, const std::string& name, int index, int side) {
    if (signal.is_zero()) return;
    const auto at = [&](SignalParameter of) {
      return Parameter{Parameter::Kind::signal, index, static_cast<int>(of), side};
    };
    known.push_back({name + ".factor", "-", at(SignalParameter::factor), 0.0});
    if (!signal.smooth()) return;
    known.push_back({name + ".time_shift", "s", at(SignalParameter::time_shift), 1e-3, Reach::delay});
    known.push_back({name + ".frequency_factor", "-", at(SignalParameter::frequency_factor), 0.0, Reach::frequency});
  };
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    add_signal(model.joints[j].drive, model.joints[j].name + ".drive", static_cast<int>(j), 0);
  // A name that stands twice names neither.
  const auto once = [](const auto& parts, const std::string& name) {
    return !name.empty() &&
           std::count_if(parts.begin(), parts.end(), [&](const auto& part) { return part.name == name; }) == 1;
  };
  for (std::size_t l = 0; l < model.loads.size(); ++l)
    for (int k = 0; k < 3 && once(model.loads, model.loads[l].name); ++k) {
      const auto axis = static_cast<std::size_t>(k);
      add_signal(model.loads[l].force[axis], model.loads[l].name + ".force." + xyz[axis], static_cast<int>(l), 1 + k);
      add_signal(model.loads[l].torque[axis], model.loads[l].name + ".torque." + xyz[axis], static_cast<int>(l), 4 + k);
    }
  // [mbs E41] How sensors sit.
  for (std::size_t s = 0; s < model.sensors.size(); ++s)
    for (int k = 0; k < 3 && model.sensors[s].can_turn() && once(model.sensors, model.sensors[s].name); ++k)
      known.push_back({model.sensors[s].name + ".turn." + xyz[static_cast<std::size_t>(k)],
                       "rad",
                       {Parameter::Kind::turn, static_cast<int>(s), k},
                       place_scale,
                       Reach::turn});
  return known;
}

Recorder::Recorder(const System& system)
    : system_(system),
      signals_(system),
      fastest_spin_(system.model().bodies.size(), 0.0),
      last_turn_(system.model().connections.size(), mbs::Vector3::Zero()),
      wrapped_(system.model().connections.size(), std::numeric_limits<double>::infinity()),
      tilt_(system.model().joints.size(), 0.0) {
  for (const SignalInfo& about : signals_.list()) channels_.push_back({about.name, about.unit, about.group, {}});
  const auto place_of = [&](const std::string& name) {
    const auto at = std::find_if(channels_.begin(), channels_.end(), [&](const Channel& c) { return c.name == name; });
    return static_cast<int>(at - channels_.begin());
  };
  for (const Body& body : system.model().bodies) {
    turns_.emplace_back();
    turns_.back().first = place_of(body.name + ".rotation.x");
  }
  for (const SensorChannel& c : system.model().channels)
    if (c.output.kind == OutputKind::angle)
      turns_.push_back({c.output, place_of(c.name), c.output.component, c.gain, c.offset, Vector3::Zero()});
}

// The rotation vectors of one orientation differ by whole turns about their axis: the one that continues the last.
Vector3 continued_turn(const Vector3& turn, const Vector3& last) {
  constexpr double whole = 2.0 * std::numbers::pi, no_axis = 1e-9;
  const Vector3& about = turn.norm() > no_axis ? turn : last;
  if (!(about.norm() > no_axis)) return turn;
  const Vector3 axis = about.normalized();
  return turn + whole * std::round((last - turn).dot(axis) / whole) * axis;
}

void Recorder::count_turns(const RunState& s, const Evaluation& e) {
  for (CountedTurn& turn : turns_) {
    const auto first = static_cast<std::size_t>(turn.first);
    Vector3 shown;
    for (int k = 0; k < 3; ++k) {
      turn.output.component = k;
      shown[k] =
          turn.component < 0 ? values_[first + static_cast<std::size_t>(k)] : output_value(system_, turn.output, s, e);
    }
    if (time_.size() > 1) shown = continued_turn(shown, turn.last);
    turn.last = shown;
    if (turn.component >= 0)
      values_[first] = turn.gain * shown[turn.component] + turn.offset;
    else
      for (int k = 0; k < 3; ++k) values_[first + static_cast<std::size_t>(k)] = shown[k];
  }
}

void Recorder::record(const RunState& s, const Evaluation& e) {
  const Model& model = system_.model();
  time_.push_back(s.t);
  largest_gap_ = std::max(largest_gap_, system_.dropped_gap(s.t, e));
  signals_.values(s, e, values_);
  count_turns(s, e);
  for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i].values.push_back(values_[i]);
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    fastest_spin_[b] = std::max(fastest_spin_[b], spin_of(system_, static_cast<int>(b), s).norm());
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    if (model.connections[c].kind == ConnectionKind::bushing && model.connections[c].measure == RotationMeasure::vect)
      largest_vect_ = std::max(largest_vect_, e.measure[c].x.tail<3>().cwiseAbs().maxCoeff());
  look_at_turns(s, e);
}

// A rotation vector ends at 180 degrees and goes on from the other side.
void Recorder::look_at_turns(const RunState& s, const Evaluation& e) {
  const Model& model = system_.model();
  for (std::size_t c = 0; c < model.connections.size(); ++c) {
    const Connection& of = model.connections[c];
    if (of.kind != ConnectionKind::bushing || of.measure != RotationMeasure::log) continue;
    const Vector3 turn = e.measure[c].x.tail<3>();
    const bool carries = of.laws[3] || of.laws[4] || of.laws[5];
    if (carries && time_.size() > 1 && (turn - last_turn_[c]).norm() > std::numbers::pi)
      wrapped_[c] = std::min(wrapped_[c], s.t);
    last_turn_[c] = turn;
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].kind == JointKind::drive_rotation) {
      const auto &one = e.frame[static_cast<std::size_t>(model.joints[j].marker1)].R,
                 &two = e.frame[static_cast<std::size_t>(model.joints[j].marker2)].R;
      tilt_[j] = std::max(tilt_[j], one.col(2).cross(two.col(2)).norm());
    }
}

std::vector<Finding> Recorder::turned_too_far() const {
  const Model& model = system_.model();
  std::vector<Finding> out;
  for (std::size_t c = 0; c < wrapped_.size(); ++c)
    if (std::isfinite(wrapped_[c]))
      out.push_back({Severity::serious, "turned_too_far", model.connections[c].name,
                     fmt::format("bushing {} turns beyond 180 degrees at {:.6g} s: its angle jumps to the other side, "
                                 "and its moments are wrong from there on",
                                 model.connections[c].name, wrapped_[c]),
                     "use laws about axes that turn less, or end the run before"});
  for (std::size_t j = 0; j < tilt_.size(); ++j)
    if (tilt_[j] > 0.01)
      out.push_back({Severity::warning, "drive_tilts", model.joints[j].name,
                     fmt::format("the axes of driven joint {} tilt against each other by up to {:.2g} degrees: what is "
                                 "driven is no angle about one axis",
                                 model.joints[j].name, std::asin(std::min(1.0, tilt_[j])) * 180.0 / std::numbers::pi),
                     "add a revolute or cylindrical joint at the same markers"});
  return out;
}

void Recorder::delay_sensors(double step_s) {
  if (time_.size() < 2) return;
  const auto steps = static_cast<Eigen::Index>(time_.size()) - 1;
  for (const SensorChannel& sensor : system_.model().channels) {
    if (sensor.delay_s == 0.0) continue;
    std::vector<double> times;
    for (const double t : time_)
      times.push_back(std::clamp(t - sensor.delay_s, 0.0, static_cast<double>(steps) * step_s));
    for (Channel& channel : channels_)
      if (channel.name == sensor.name) {
        const Eigen::MatrixXd row = Eigen::Map<const Eigen::RowVectorXd>(channel.values.data(), steps + 1);
        const Eigen::MatrixXd late = Sampling(times, step_s, steps).at_samples(row);
        channel.values.assign(late.data(), late.data() + late.size());
      }
  }
}

std::vector<std::string> without_dead(std::vector<std::string> signals,
                                      const std::map<std::string, std::string>& columns, const SignalSet& table,
                                      const std::vector<std::size_t>& used, std::vector<Finding>& findings) {
  for (std::size_t j = 0; j < signals.size() && signals.size() > 1;) {
    const auto named = columns.find(signals[j]);
    const Signal* column = table.find(named == columns.end() ? signals[j] : named->second);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const std::size_t i : used)
      if (column != nullptr && std::isfinite(column->values[i]))
        low = std::min(low, column->values[i]), high = std::max(high, column->values[i]);
    if (column == nullptr || high > low) {
      ++j;
      continue;
    }
    findings.push_back({Severity::serious, "channel_dead", signals[j],
                        low > high
                            ? fmt::format("channel {} holds no samples and is not used", signals[j])
                            : fmt::format("channel {} shows {:.4g} all the time and is not used", signals[j], low),
                        "check its cable and amplifier, or leave it out"});
    signals.erase(signals.begin() + static_cast<std::ptrdiff_t>(j));
  }
  return signals;
}

void tell_gaps(const Signal& column, const std::vector<std::size_t>& used, const std::string& data,
               std::vector<Finding>& findings) {
  const auto gaps =
      std::count_if(used.begin(), used.end(), [&](std::size_t i) { return std::isnan(column.values[i]); });
  if (gaps > 0)
    findings.push_back({Severity::note, "gaps", data,
                        fmt::format("{} of {} samples of {} are empty: they are left out, not filled in", gaps,
                                    used.size(), in_quotes(column.name)),
                        ""});
}

}  // namespace kdyn::app
