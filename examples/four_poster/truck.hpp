// SPDX-License-Identifier: Apache-2.0
// A body-on-frame truck on four posters: frame on four wheels, cab on four mounts, powertrain on three, driver on a seat.
//
// Fourteen degrees of freedom: frame, cab and powertrain bounce, pitch and roll; four wheels; the seat. Axes and signs as in
// kdyn/vehicle/vehicle.hpp: a point at x (forward) and y (left) of a body rises by z - x theta + y phi. Small motions about static equilibrium.
// Everything but the mounts is linear, so that what differs between two runs comes from the mounts.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "kdyn/vehicle/road.hpp"
#include "kdyn/vehicle/vehicle.hpp"
#include "mount_models.hpp"

namespace four_poster {

struct Body {
  double mass, pitch_inertia, roll_inertia, x;  // x of its centre of gravity from that of the frame
};

struct MountPlace {
  std::string name;
  bool on_cab;  // else on the powertrain
  double x, y;  // from the centre of gravity of the frame, m
  double load;  // static force, N, negative: compressed
};

struct Truck {
  kdyn::Vehicle<double> frame;  // the sprung mass is the frame with its box, without cab and powertrain
  Body cab{430.0, 260.0, 210.0, 0.25};
  Body powertrain{290.0, 28.0, 16.0, 1.15};
  double seat_mass = 75.0, seat_stiffness = 34e3, seat_damping = 1100.0, seat_x = 0.05, seat_y = 0.38;
  std::vector<MountPlace> mounts;
  Truck();
};

struct Run {
  double interval = 0.0;
  std::vector<double> time, seat, cab_floor, powertrain;       // accelerations, m/s^2
  std::vector<std::vector<double>> mount_force, mount_travel;  // of each mount, about the static load
  double work_in = 0.0;                                        // done by the posters, J
  double dissipated = 0.0;                                     // in dampers and seat, J
  double into_mounts = 0.0;                                    // work absorbed by mounts, J
  double energy_left = 0.0;                                    // kinetic and in linear springs at the end, J
  double imbalance = 0.0;                                      // |work_in - the rest|/work_in
};

// Second order in the step; the posters follow `road`, whose interval is the step times `substeps`.
Run drive(const Truck& truck, std::vector<std::unique_ptr<MountModel>> mounts, const kdyn::Road& road, int substeps);

}  // namespace four_poster
