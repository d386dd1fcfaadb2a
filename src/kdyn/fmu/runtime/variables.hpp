// SPDX-License-Identifier: Apache-2.0
// The variables of an FMU: which there are, in which order, what they are called. The exporter writes
// modelDescription.xml from this list and the binary finds variables by it, so both have the same.
//
// Variables stand in groups; the value reference of a variable is its place in the whole list. Names are those of model
// files, those of a bushing with their axis: displacement.fz, fz.static_stiffness, der(fz.z). Plain C++17 without
// strings, as all of an FMU.
#pragma once

#include <cstddef>
#include <cstdio>

#include "kdyn/element/angular_unit.hpp"
#include "kdyn/laws/unit.hpp"

namespace kdyn::fmi {

enum class Group { time, displacement, velocity, input, force, signal, state, rate, turning, parameter, option, none };
inline constexpr int group_count = static_cast<int>(Group::none);

inline constexpr const char* unit_axes[most_axes] = {"fx", "fy", "fz", "tx", "ty", "tz"};

// Size of a state for a solver's tolerances.
inline double nominal_value(const char* unit) {
  if (same_text(unit, "m") || same_text(unit, "rad")) return 1e-4;
  return same_text(unit, "A") ? 1.0 : 0.1;
}

struct Variable {
  Group group = Group::none;
  int index = 0;           // in its group
  int axis = 0, part = 0;  // the axis it belongs to, and its place there
  char name[160] = "";
  char unit[32] = "";        // empty: none
  const char* meaning = "";  // of a rate: that of its state
  double start = 0.0, lower = 0.0, upper = 0.0;
  bool bounded = false, lower_open = false;
};

// Sizes of the groups; a unit's do not change while it lives.
class Variables {
 public:
  Variables() = default;
  explicit Variables(const MountUnit& unit)
      : size_{1,
              unit.axes(),
              unit.axes(),
              unit.inputs(),
              unit.axes(),
              unit.signals(),
              unit.states(),
              unit.states(),
              unit.turnings(),
              unit.parameters(),
              1} {}

  int size(Group group) const { return size_[static_cast<int>(group)]; }
  unsigned count() const { return first(Group::none); }
  unsigned first(Group group) const {
    unsigned n = 0;
    for (int g = 0; g < static_cast<int>(group); ++g) n += static_cast<unsigned>(size_[g]);
    return n;
  }
  // The group of a value reference, Group::none when there is no such variable; its place in the group goes to `index`.
  Group find(unsigned reference, int& index) const {
    int g = 0;
    for (; g < group_count && reference >= static_cast<unsigned>(size_[g]); ++g)
      reference -= static_cast<unsigned>(size_[g]);
    index = static_cast<int>(reference);
    return static_cast<Group>(g);
  }

  Variable describe(const MountUnit& unit, unsigned reference) const {
    Variable out;
    out.group = find(reference, out.index);
    switch (out.group) {
      case Group::time: text(out, "time", "s", "Simulation time"); break;
      case Group::displacement: motion(out, unit, "displacement", "m", "Displacement across the mount"); break;
      case Group::velocity: motion(out, unit, "velocity", "m/s", "Velocity across the mount"); break;
      case Group::force: motion(out, unit, "force", "N", "Force, positive for positive displacement"); break;
      case Group::input: {
        const InputName about = law(out, unit, &LawInstance::inputs).input(out.part);
        of_axis(out, unit, about.name, about.unit, about.meaning);
        out.start = about.start, out.lower = about.lower, out.upper = about.upper, out.bounded = true;
        break;
      }
      case Group::signal: {
        const SignalName about = law(out, unit, &LawInstance::signals).signal(out.part);
        of_axis(out, unit, about.name, about.unit, about.meaning);
        break;
      }
      case Group::state: {
        const SignalName about = law(out, unit, &LawInstance::states).state(out.part);
        of_axis(out, unit, about.name, about.unit, about.meaning);
        break;
      }
      case Group::rate: {
        const SignalName about = law(out, unit, &LawInstance::states).state(out.part);
        of_axis(out, unit, about.name, about.unit, about.meaning);
        rate(out);
        break;
      }
      case Group::turning: {
        const SignalName about = law(out, unit, &LawInstance::turnings).turning(out.part);
        of_axis(out, unit, about.name, about.unit, about.meaning);
        break;
      }
      case Group::parameter: {
        const LawInstance& of = law(out, unit, &LawInstance::parameters);
        const ParameterInfo& about = of.parameter_info(out.part);
        of_axis(out, unit, of.parameter_name(out.part), about.unit, about.meaning);
        out.start = of.parameter(out.part);
        out.lower = about.lower, out.upper = about.upper, out.lower_open = about.lower_open, out.bounded = true;
        break;
      }
      case Group::option:
        text(out, "inputs_at_end_of_step", "",
             "Co-simulation: false, displacement and velocity are those at the beginning of the step, as most tools "
             "give them; true, those at its "
             "end");
        break;
      case Group::none: std::snprintf(out.name, sizeof out.name, "value reference %u", reference); break;
    }
    return out;
  }

 private:
  static void text(Variable& out, const char* name, const char* unit, const char* meaning) {
    std::snprintf(out.name, sizeof out.name, "%s", name);
    std::snprintf(out.unit, sizeof out.unit, "%s", same_text(unit, "-") ? "" : unit);
    out.meaning = meaning;
  }
  static const LawInstance& law(Variable& out, const MountUnit& unit, int (LawInstance::*count)() const) {
    const MountUnit::Place place = unit.place_of(out.index, count);
    out.axis = place.axis, out.part = place.index;
    return *unit.axis(place.axis);
  }
  static void of_axis(Variable& out, const MountUnit& unit, const char* name, const char* of_name,
                      const char* meaning) {
    const bool turns = unit.axes() > 1 && out.axis >= 3;
    text(out, name, turns ? angular_unit(of_name) : of_name, meaning);
    if (unit.axes() > 1) std::snprintf(out.name, sizeof out.name, "%s.%s", unit_axes[out.axis], name);
  }
  static void motion(Variable& out, const MountUnit& unit, const char* name, const char* of_name, const char* meaning) {
    out.axis = out.index;
    of_axis(out, unit, name, of_name, meaning);
    if (unit.axes() > 1) std::snprintf(out.name, sizeof out.name, "%s.%s", name, unit_axes[out.axis]);
  }
  static void rate(Variable& out) {
    char name[sizeof out.name], unit[sizeof out.unit];
    std::snprintf(name, sizeof name, "der(%.150s)", out.name);
    const bool speed = same_text(out.unit, "m/s") || same_text(out.unit, "rad/s");
    std::snprintf(unit, sizeof unit, "%s%.24s%s", out.unit[0] == '\0' ? "1" : "", out.unit, speed ? "^2" : "/s");
    std::snprintf(out.name, sizeof out.name, "%s", name);
    std::snprintf(out.unit, sizeof out.unit, "%s", unit);
  }

  int size_[group_count] = {};
};

}  // namespace kdyn::fmi
