// SPDX-License-Identifier: Apache-2.0
// A sensor as it is described in job and model files: what it measures, where it sits, and what is not known about it.
//
// What it shows is  m(t) = gain * c(t - delay_s) + offset + noise,  c: the component along its own axis. Its axes are
// those of the body, turned by `rotation` (as it is mounted on purpose) and by `turn` (how it sits in truth).
// Plain data: names are looked up by the module that knows the bodies. SI units.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace kdyn::inline base {
class FieldTable;
}

namespace kdyn::inline data {

enum class SensorKind { accelerometer, gyro, angle, displacement, string_pot, force, moment, strain };
inline constexpr std::array<const char*, 8> sensor_names = {"accelerometer", "gyro",  "angle",  "displacement",
                                                            "string_pot",    "force", "moment", "strain"};

enum class SensorUnknown { gain, offset, delay, orientation };

struct Sensor {
  std::string name;
  SensorKind kind = SensorKind::accelerometer;
  // accelerometer, gyro, strain: on a body.
  std::string body;
  std::array<double, 3> position = {0.0, 0.0, 0.0};  // in the body's frame, m
  std::array<double, 3> rotation = {0.0, 0.0, 0.0};  // of the sensor's axes against the body's: rotation vector, rad
  // Channels, a part of "xyz" in any order: name.x, name.y, ...; an angle, a string pot and a strain have one channel.
  std::string axes = "xyz";
  bool gravity = false;  // accelerometer: shows gravity as well, +9.81 m/s^2 upwards at rest
  // angle, displacement, string_pot: between two markers; accelerometer and gyro may sit on the first instead of `body`.
  std::vector<std::string> markers;
  std::string of;             // force, moment: bushing, spring or joint
  std::vector<double> modes;  // strain: strain for one unit of each mode coordinate of the body

  // What is known about it.
  double gain = 1.0, offset = 0.0, delay_s = 0.0;
  std::array<double, 3> turn = {0.0, 0.0, 0.0};  // rotation vector beyond `rotation`, rad
  // What is to be found along with the parameters, from the values above on; every channel has its own gain, offset and
  // delay, the orientation belongs to the sensor.
  std::vector<SensorUnknown> unknown;
  // Standard deviation about the values above, as far as it is known; 0: nothing is known.
  double gain_std = 0.0, offset_std = 0.0, delay_std_s = 0.0, turn_std = 0.0;
  std::string comment;

  bool is_unknown(SensorUnknown what) const;
  bool has_axes() const;     // one channel for each of `axes`; otherwise one in all
  bool can_turn() const;     // it has axes of its own: accelerometer, gyro, displacement
  std::string unit() const;  // SI
  int axis(int i) const;     // 0..2 of channel i
  int channels() const;
  std::string channel(int i) const;  // "name.x", or "name" of a sensor with one channel
};

const FieldTable& fields_of(const Sensor*);
// Rules between fields that need no model: axes, two markers, a body. Throws, naming `where`.field.
void check(const Sensor& sensor, const std::string& where);

}  // namespace kdyn::inline data
