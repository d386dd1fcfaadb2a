// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/multibody_signals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/angular_unit.hpp"
#include "kdyn/insitu/insitu.hpp"

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
  const std::string message = fmt::format("the model has no {}", in_quotes(name));
  constexpr std::size_t few = 30;
  if (known.size() <= few) throw_bad_input(where, message, suggest(name, known));
  // A whole car has hundreds of names: the nearest one, and what they are made of.
  std::vector<std::string> parts;
  for (const std::string& one : known)
    if (const std::string part = one.substr(0, one.find('.'));
        std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(part);
  const std::size_t count = parts.size();
  if (count > few) parts.resize(few), parts.emplace_back("...");
  const auto near = closest(name, known);
  std::string remedy = near ? fmt::format("did you mean '{}'? ", *near) : "";
  // The same of other parts: "m3.position.x" where there are m1 and m2.
  std::vector<std::string> alike;
  if (const std::size_t dot = name.find('.'); dot != std::string::npos)
    for (const std::string& one : known)
      if (alike.size() < 10 && one.find('.') != std::string::npos && one.substr(one.find('.')) == name.substr(dot))
        alike.push_back(one);
  if (!alike.empty()) remedy += fmt::format("of that kind there are {}; ", join(alike, ", "));
  throw_bad_input(where, message,
                  remedy + fmt::format("there are {} names, of {} parts: {}", known.size(), count, join(parts, ", ")));
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
  for (std::size_t c = 0; c < model.controllers.size(); ++c)
    for (std::size_t k = 0; k < model.controllers[c].output_names.size(); ++k)
      known.push_back({fmt::format("{}.{}", model.controllers[c].name, model.controllers[c].output_names[k]),
                       model.controllers[c].output_units[k],
                       {OutputKind::controller, static_cast<int>(c), static_cast<int>(k)}});
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
