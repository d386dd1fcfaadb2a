// SPDX-License-Identifier: Apache-2.0
// What the channels of a vehicle test measure: any combination of the motions of body and wheels, as sensors at given
// places show it [vehicle E33].
//
// Axes: x forward from the line of the first axle, y to the left of the middle plane, z up. The centre of gravity lies
// at x = -a, which is identified, so no sensor has to sit there. Vertical motion, pitch and roll only: a horizontal
// accelerometer shows nothing that the model has.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/sensor.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/response.hpp"
#include "kdyn/vehicle/vehicle.hpp"

namespace kdyn::inline vehicle {

// [vehicle E33] y = gain (d/dt)^kind (body (zs - (x + a) theta + y phi) + pitch theta + roll phi + wheels . zu),
// delayed.
struct DecayChannel {
  std::string name;
  MotionKind kind = MotionKind::acceleration;
  bool angle = false;  // rad instead of m
  double body = 0.0, x = 0.0, y = 0.0;
  bool from_cg = false;  // x counts from the centre of gravity, wherever that is
  double pitch = 0.0, roll = 0.0;
  CornerValues<double> wheel{};
  double gain = 1.0, delay_s = 0.0;
  double shown_at_rest = 0.0;  // offset and gravity, taken off when it is read
  bool gain_unknown = false, delay_unknown = false, offset_unknown = false;
  double gain_std = 0.0, delay_std_s = 0.0;  // about the values above; 0: nothing is known
  bool place_unknown = false;                // x and y are to be found
  // Gyros: how far the sensor is turned about the vertical axis beyond its rotation; `pitch` and `roll` contain it.
  double turn_z = 0.0, turn_std = 0.0;
  int turns_with = -1;  // channels of one number are turned by one unknown angle; -1: it is known

  std::string unit() const;
  std::string sensor() const;         // name of the sensor: that of the channel without its axis
  void turn_to(double turn_about_z);  // another turn_z
};

// The motions of paper Z: bounce at the centre of gravity, pitch, roll, the wheels.
std::vector<DecayChannel> seven_motions(MotionKind kind, const VehicleLayout& layout = {});

// Channels of sensors on "body" and on the wheels "A" to "F"; displacements, angles and string pots stand between two
// of these and "ground", with `position` on the body. Directions that the model does not have are left out and told.
std::vector<DecayChannel> channels_of(const std::vector<Sensor>& sensors, const VehicleLayout& layout,
                                      std::vector<Finding>& findings);

// Row of a channel: what it shows of each degree of freedom, without gain.
Eigen::VectorXd output_row(const DecayChannel& channel, const Vehicle<double>& vehicle);

}  // namespace kdyn::inline vehicle
