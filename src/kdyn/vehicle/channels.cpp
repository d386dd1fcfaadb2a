// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/channels.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr double standard_gravity = 9.80665;

// -1: not a wheel.
int wheel_of(const std::string& name) {
  if (name.size() != 1 || name[0] < 'A' || name[0] >= 'A' + max_wheels) return -1;
  return name[0] - 'A';
}

std::string places(const VehicleLayout& layout) {
  return fmt::format("write \"body\" or a wheel, \"A\" (front left) to \"{}\"",
                     static_cast<char>('A' + layout.wheels() - 1));
}

// Directions of the sensor's axis in those of the vehicle.
Eigen::Vector3d direction_of(const Sensor& s, int axis) {
  Eigen::Vector3d out = Eigen::Vector3d::Unit(axis);
  for (const auto& r : {s.turn, s.rotation}) {
    const Eigen::Vector3d v(r[0], r[1], r[2]);
    const double angle = v.norm();
    if (!(angle > 0.0)) continue;
    const Eigen::Vector3d e = v / angle;  // Rodrigues
    out = (std::cos(angle) * out + std::sin(angle) * e.cross(out) + (1.0 - std::cos(angle)) * e.dot(out) * e).eval();
  }
  return out;
}

void add_place(DecayChannel& channel, const Sensor& s, const std::string& place, double factor,
               const VehicleLayout& layout, const std::string& where) {
  if (place == "ground") return;
  if (place == "body") {
    channel.body += factor;
    channel.x = s.position[0], channel.y = s.position[1];
    return;
  }
  const int wheel = wheel_of(place);
  if (wheel < 0 || wheel >= layout.wheels())
    throw_bad_input(where, fmt::format("there is no {} on this vehicle", in_quotes(place)), places(layout));
  channel.wheel[static_cast<std::size_t>(wheel)] += factor;
}

}  // namespace

std::string DecayChannel::unit() const {
  const int d = static_cast<int>(kind);
  return std::string(angle ? "rad" : "m") + (d == 0 ? "" : d == 1 ? "/s" : "/s^2");
}

std::string DecayChannel::sensor() const { return name.substr(0, name.rfind('.')); }

void DecayChannel::turn_to(double turn_about_z) {
  const double cosine = std::cos(turn_about_z - turn_z), sine = std::sin(turn_about_z - turn_z), before = roll;
  roll = cosine * before - sine * pitch, pitch = sine * before + cosine * pitch;
  turn_z = turn_about_z;
}

std::vector<DecayChannel> seven_motions(MotionKind kind, const VehicleLayout& layout) {
  std::vector<DecayChannel> out(static_cast<std::size_t>(layout.dofs()));
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c].kind = kind;
    out[c].name =
        c < vehicle_channels.size() ? vehicle_channels[c] : "zu" + std::string(1, static_cast<char>('A' + c - 3));
    out[c].angle = is_angle(static_cast<int>(c));
    if (c >= 3) out[c].wheel[c - 3] = 1.0;
  }
  out[0].body = 1.0, out[0].from_cg = true;
  out[1].pitch = 1.0, out[2].roll = 1.0;
  return out;
}

std::vector<DecayChannel> channels_of(const std::vector<Sensor>& sensors, const VehicleLayout& layout,
                                      std::vector<Finding>& findings) {
  std::vector<DecayChannel> out;
  std::vector<std::string> unused, tilted;
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const Sensor& s = sensors[i];
    const std::string where = fmt::format("sensors[{}]", i);
    check(s, where);
    const bool between =
        s.kind == SensorKind::angle || s.kind == SensorKind::displacement || s.kind == SensorKind::string_pot;
    if (!between && s.kind != SensorKind::accelerometer && s.kind != SensorKind::gyro)
      throw_bad_input(
          where + ".kind",
          fmt::format("a vehicle is not identified from a {}", sensor_names[static_cast<std::size_t>(s.kind)]),
          "use accelerometer, gyro, angle, displacement or string_pot");
    for (int k = 0; k < 2; ++k)
      if (std::abs(s.position[static_cast<std::size_t>(k)]) > (k == 0 ? 25.0 : 3.0))
        throw_bad_input(
            where + ".position",
            fmt::format("{} = {:g} m is on no vehicle", k == 0 ? "x" : "y", s.position[static_cast<std::size_t>(k)]),
            "give metres: x forward from the first axle line, y to the left of the middle plane");
    if (!between && s.body.empty()) throw_bad_input(where + ".body", "nothing says what it sits on", places(layout));
    for (int k = 0; k < s.channels(); ++k) {
      DecayChannel channel;
      channel.name = s.channel(k);
      channel.gain = s.gain, channel.delay_s = s.delay_s, channel.shown_at_rest = s.offset;
      channel.gain_unknown = s.is_unknown(SensorUnknown::gain), channel.gain_std = s.gain_std;
      channel.delay_unknown = s.is_unknown(SensorUnknown::delay), channel.delay_std_s = s.delay_std_s;
      channel.offset_unknown = s.is_unknown(SensorUnknown::offset) || s.offset_std > 0.0;
      if (s.is_unknown(SensorUnknown::orientation)) {
        if (s.kind == SensorKind::gyro) {
          channel.turns_with = static_cast<int>(i), channel.turn_std = s.turn_std;
        } else {
          // Tilted by an angle it shows the cosine of it of the vertical motion: 1 - angle^2/2.
          if (!channel.gain_unknown) channel.gain_std = 0.5 * s.turn_std * s.turn_std;
          channel.gain_unknown = true;
          tilted.push_back(channel.name);
        }
      }
      const Eigen::Vector3d direction = direction_of(s, s.kind == SensorKind::string_pot ? 2 : s.axis(k));
      bool seen = true;
      if (s.kind == SensorKind::gyro || s.kind == SensorKind::angle) {
        channel.angle = true;
        channel.kind = s.kind == SensorKind::gyro ? MotionKind::velocity : MotionKind::displacement;
        const bool turned_over = s.kind == SensorKind::angle && s.markers[0] == "ground";
        const std::string place = !between ? s.body : turned_over ? s.markers[1] : s.markers[0];
        if (place != "body" || (between && s.markers[turned_over ? 0 : 1] != "ground"))
          throw_bad_input(where + (between ? ".markers" : ".body"), "only the body has angles here",
                          between ? R"(write ["body", "ground"])" : R"(write "body")");
        channel.roll = (turned_over ? -1.0 : 1.0) * direction[0],
        channel.pitch = (turned_over ? -1.0 : 1.0) * direction[1];
        seen = std::abs(direction[2]) < 0.1;
      } else {
        channel.kind = s.kind == SensorKind::accelerometer ? MotionKind::acceleration : MotionKind::displacement;
        const double up = direction[2];
        seen = std::abs(up) > 0.9;
        if (s.gravity) channel.shown_at_rest += s.gain * standard_gravity * up;
        if (!between) {
          add_place(channel, s, s.body, up, layout, where + ".body");
        } else {
          // Of the second marker against the first, as in multibody models; a string pot grows when its ends part.
          const bool pot = s.kind == SensorKind::string_pot;
          const bool over = pot && (s.markers[0] == "body" || s.markers[1] == "ground");
          add_place(channel, s, s.markers[over ? 0 : 1], up, layout, where + ".markers");
          add_place(channel, s, s.markers[over ? 1 : 0], -up, layout, where + ".markers");
        }
      }
      if (!seen) {
        unused.push_back(channel.name);
        continue;
      }
      for (const DecayChannel& other : out)
        if (other.name == channel.name)
          throw_bad_input(where + ".name", fmt::format("two channels are called {}", in_quotes(channel.name)),
                          "give every sensor its own name");
      out.push_back(std::move(channel));
    }
  }
  if (!tilted.empty())
    findings.push_back({Severity::note, "orientation_as_gain", "sensors",
                        fmt::format("{}: tilted, a sensor shows the cosine of its tilt of the vertical motion; its "
                                    "orientation is found as a gain",
                                    join(tilted, ", ")),
                        "give what is known as rotation"});
  if (!unused.empty())
    findings.push_back(
        {Severity::note, "not_used", "sensors",
         fmt::format("{} measure no vertical motion, pitch or roll and are not used", join(unused, ", ")),
         "leave them out, or check rotation and axes"});
  if (out.empty())
    throw_bad_input("sensors", "no sensor measures vertical motion, pitch or roll",
                    "describe accelerometers with axes z");
  return out;
}

Eigen::VectorXd output_row(const DecayChannel& c, const Vehicle<double>& vehicle) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(vehicle.layout.dofs());
  row[0] = c.body;
  row[1] = -c.body * (c.from_cg ? c.x : c.x + vehicle.a) + c.pitch;
  row[2] = c.body * c.y + c.roll;
  for (int i = 0; i < vehicle.layout.wheels(); ++i) row[3 + i] = c.wheel[static_cast<std::size_t>(i)];
  return row;
}

}  // namespace kdyn::inline vehicle
