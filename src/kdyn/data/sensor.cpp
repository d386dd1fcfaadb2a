// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/sensor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline data {

bool Sensor::is_unknown(SensorUnknown what) const {
  return std::find(unknown.begin(), unknown.end(), what) != unknown.end();
}

bool Sensor::has_axes() const {
  return kind != SensorKind::angle && kind != SensorKind::string_pot && kind != SensorKind::strain;
}

bool Sensor::can_turn() const {
  return kind == SensorKind::accelerometer || kind == SensorKind::gyro || kind == SensorKind::displacement;
}

std::string Sensor::unit() const {
  switch (kind) {
    case SensorKind::accelerometer: return "m/s^2";
    case SensorKind::gyro: return "rad/s";
    case SensorKind::angle: return "rad";
    case SensorKind::displacement:
    case SensorKind::string_pot: return "m";
    case SensorKind::force: return "N";
    case SensorKind::moment: return "N*m";
    case SensorKind::strain: return "-";
  }
  return "";
}

int Sensor::axis(int i) const {
  if (kind == SensorKind::angle) return axes.size() == 1 ? axes[0] - 'x' : 2;
  return has_axes() ? axes[static_cast<std::size_t>(i)] - 'x' : 0;
}
int Sensor::channels() const { return has_axes() ? static_cast<int>(axes.size()) : 1; }
std::string Sensor::channel(int i) const { return has_axes() ? name + "." + axes[static_cast<std::size_t>(i)] : name; }

const FieldTable& fields_of(const Sensor*) {
  using S = Sensor;
  static const FieldTable table = FieldTable::of<S>("sensor", [](FieldTable& t) {
    t.add(&S::name, "name", "-", "Name; its channels are name.x, name.y, name.z, or name where there is one only")
        .must_be_given();
    t.add(&S::kind, "kind", "-", "What it measures").one_of({sensor_names.begin(), sensor_names.end()}).must_be_given();
    t.add(&S::body, "body", "-", "Body it sits on (accelerometer, gyro, strain)").unless_empty();
    t.add(&S::position, "position", "m", "Where it sits, in the frame of the body");
    t.add(&S::rotation, "rotation", "rad", "Rotation vector of its axes against those of the body")
        .range(-6.2832, 6.2832);
    t.add(&S::axes, "axes", "-", "Directions it measures: a part of xyz; of an angle its axis, z when nothing is said");
    t.add(&S::gravity, "gravity", "-", "Accelerometer: gravity is shown as well (+9.81 m/s^2 upwards at rest)");
    t.add(&S::markers, "markers", "-",
          "Two markers (angle, displacement, string_pot), or one that an accelerometer or gyro sits on")
        .unless_empty();
    t.add(&S::of, "of", "-", "Bushing, spring or joint whose force or moment is measured, axes of its first marker")
        .unless_empty();
    t.add(&S::modes, "modes", "1/m", "Strain for one unit of each mode coordinate of the body").unless_empty();
    t.add(&S::gain, "gain", "-", "Shown over true");
    t.add(&S::offset, "offset", "SI unit of the sensor", "Shown at zero");
    t.add(&S::delay_s, "delay_s", "s", "Shown later than true by this").range(-10.0, 10.0);
    t.add(&S::turn, "turn", "rad", "Rotation vector by which it is mounted wrongly, beyond rotation")
        .range(-6.2832, 6.2832);
    t.add(&S::unknown, "unknown", "-", "What is to be found along with the parameters")
        .one_of({"gain", "offset", "delay", "orientation"})
        .unless_empty();
    t.add(&S::gain_std, "gain_std", "-", "Standard deviation of the gain as far as it is known; 0: not known")
        .at_least(0.0);
    t.add(&S::offset_std, "offset_std", "SI unit of the sensor", "Standard deviation of the offset; 0: not known")
        .at_least(0.0);
    t.add(&S::delay_std_s, "delay_std_s", "s", "Standard deviation of the delay; 0: not known").at_least(0.0);
    t.add(&S::turn_std, "turn_std", "rad", "Standard deviation of the orientation; 0: not known").at_least(0.0);
    t.add(&S::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

void check(const Sensor& s, const std::string& where) {
  if (s.name.empty()) throw_bad_input(where + ".name", "the name is missing", "give every sensor its own name");
  std::string seen;
  for (const char c : s.axes) {
    if ((c != 'x' && c != 'y' && c != 'z') || seen.find(c) != std::string::npos)
      throw_bad_input(where + ".axes", fmt::format("{} is no set of axes", in_quotes(s.axes)),
                      R"(write some of x, y and z, each once: "z" or "xyz")");
    seen += c;
  }
  if (s.axes.empty()) throw_bad_input(where + ".axes", "no axis is measured", R"(write "z" or "xyz")");
  const bool between =
                 s.kind == SensorKind::angle || s.kind == SensorKind::displacement || s.kind == SensorKind::string_pot,
             load = s.kind == SensorKind::force || s.kind == SensorKind::moment;
  const auto refuse = [&](bool wrong, const char* field, const char* what, const char* remedy) {
    if (wrong) throw_bad_input(fmt::format("{}.{}", where, field), what, remedy);
  };
  refuse(between && s.markers.size() != 2, "markers", "two markers are needed", R"(write ["first", "second"])");
  refuse(between && !s.body.empty(), "body", "this sensor sits between two markers", "leave body out");
  refuse(load && s.of.empty(), "of", "the bushing, spring or joint is missing", "name it");
  refuse(!load && !s.of.empty(), "of", "only forces and moments are those of a part", "leave it out");
  refuse(load && (!s.body.empty() || !s.markers.empty()), "of", "a force belongs to its part alone",
         "leave body and markers out");
  if (!between && !load) {
    refuse(s.body.empty() && s.markers.empty(), "body", "nothing says where it sits", "name a body, or one marker");
    refuse(!s.body.empty() && !s.markers.empty(), "markers", "both a body and a marker are given", "leave one out");
    refuse(s.markers.size() > 1, "markers", "one marker is enough", "leave the others out");
  }
  const bool strain = s.kind == SensorKind::strain;
  refuse(strain && s.modes.empty(), "modes", "the strains of the modes are missing",
         "give one number for each mode of the body");
  refuse(!strain && !s.modes.empty(), "modes", "only strains have them", "leave it out");
  refuse(strain && s.body.empty(), "body", "a strain belongs to a flexible body", "name it");
  refuse(s.gravity && s.kind != SensorKind::accelerometer, "gravity", "only accelerometers show gravity",
         "leave it out");
  refuse(s.is_unknown(SensorUnknown::orientation) && !s.can_turn(), "unknown", "this sensor has no axes to turn",
         "leave orientation out");
  // An angle is turned with the axes of its first marker.
  const auto turned = [](const std::array<double, 3>& r) { return r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0; };
  const bool fixed = !s.can_turn() && s.kind != SensorKind::angle;
  refuse(fixed && turned(s.rotation), "rotation",
         load ? "a force is shown in the axes of the first marker of its part" : "this sensor has no axes to turn",
         load ? "turn that marker" : "leave it out");
  refuse(fixed && turned(s.turn), "turn",
         load ? "a force is shown in the axes of the first marker of its part" : "this sensor has no axes to turn",
         load ? "turn that marker" : "leave it out");
  refuse(s.kind == SensorKind::angle && s.axes != "xyz" && s.axes.size() != 1, "axes", "an angle has one axis",
         R"(write "x", "y" or "z")");
  refuse(!(std::abs(s.gain) > 0.0), "gain", "a gain of 0 shows nothing", "give shown over true, 1 as a rule");
}

}  // namespace kdyn::inline data
