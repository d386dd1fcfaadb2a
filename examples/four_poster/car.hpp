// SPDX-License-Identifier: Apache-2.0
// A passenger car on four posters: body on two subframes and four wheels, powertrain on two hydro mounts and one
// elastomer mount, driver on a seat.
//
// Seventeen degrees of freedom: body, front and rear subframe and powertrain bounce, pitch and roll; four wheels; the
// seat. Axes and signs as in kdyn/vehicle/vehicle.hpp: a point at x (forward) and y (left) of a body rises by z - x
// theta + y phi. Small motions about static equilibrium. Front struts stand on the body; rear springs and dampers stand
// on the rear subframe, whose four bushings carry the rear of the body. The front subframe hangs under the body on four
// bushings and holds the gearbox mount. Everything but the mounts is linear, so that what differs between two runs
// comes from the mounts.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "kdyn/vehicle/road.hpp"
#include "mount_models.hpp"

namespace four_poster {

enum class Part { body, front_subframe, rear_subframe, powertrain };

struct RigidPart {
  double mass, pitch_inertia, roll_inertia, x;  // x of its centre of gravity from that of the body
};

struct MountPlace {
  std::string name;
  MountType type;
  Part upper, lower;
  double x, y;  // from the centre of gravity of the body, m
  double load;  // static force, N, negative: compressed
};

struct Car {
  std::array<RigidPart, 4> parts = {
      {{1150.0, 1900.0, 460.0, 0.0}, {28.0, 1.6, 3.4, 1.05}, {34.0, 1.9, 4.2, -1.50}, {230.0, 11.0, 17.0, 1.15}}};
  double wheel_mass = 42.0, tyre_stiffness = 210e3;
  std::array<double, 2> spring = {24e3, 26e3}, damper = {1700.0, 1600.0};  // front, rear; of one wheel
  std::array<double, 2> axle_x = {1.15, -1.50}, half_track = {0.76, 0.75};
  double seat_mass = 70.0, seat_stiffness = 38e3, seat_damping = 950.0, seat_x = 0.05, seat_y = 0.36;
  std::vector<MountPlace> mounts;
  std::vector<std::size_t>
      watched;  // mounts whose force and travel are kept: an engine mount, the gearbox mount, a rear subframe bushing
  Car();
  const RigidPart& part(Part p) const { return parts[static_cast<std::size_t>(p)]; }
};

// One drive. Signals: the accelerations of seat, floor and powertrain, then force and travel (about the static load) of
// each watched mount.
struct Run {
  double interval = 0.0;
  std::vector<double> seat, floor, powertrain;     // m/s^2
  std::vector<std::vector<double>> force, travel;  // N, m
  double work_in = 0.0;                            // done by the posters, J
  double dissipated = 0.0;                         // in dampers and seat, J
  double into_mounts = 0.0;                        // work absorbed by mounts, J
  double energy_left = 0.0;                        // kinetic and in linear springs at the end, J
  double imbalance = 0.0;                          // |work_in - the rest|/work_in
};

// Second order in the step; the posters follow `road`, whose interval is the step times `substeps`.
Run drive(const Car& car, std::vector<std::unique_ptr<MountModel>> mounts, const kdyn::Road& road, int substeps);

}  // namespace four_poster
