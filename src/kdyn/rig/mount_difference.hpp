// SPDX-License-Identifier: Apache-2.0
// How far two mounts are apart on the rig: what an exchange format has lost, in numbers an engineer can judge.
//
//   static  largest difference of the static force over the reach, relative to the range of the force
//   map     largest difference of dynamic stiffness (relative) and of loss angle on a small grid of frequency, amplitude and preload
//   path    largest difference of force on a random path [rig E10], relative to the range of the force: shows friction memory and switches,
//           which no steady sine shows
//   hot     the same map at the ends of the temperature table, where the first mount has one
//
// Both mounts run through the same time steps, so two equal mounts differ by nothing at all, and by rounding when their
// parameters do. Units SI; rad, N*m and N*m/rad for a torsional axis. The differences are those on the grid, not bounds
// for every motion.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline rig {

struct DifferenceGrid {
  std::vector<double> frequencies_hz, amplitudes, preloads;
  std::vector<double> temperatures_c;  // beside the model's own parameters; empty: no table
  double reach = 0.0;                  // half stroke of the static comparison
  double path_s = 0.0;                 // length of the random path
};

// Suited to what the model has: amplitudes within its static curve, preloads where its tables bend, a path as long as
// its switch signal.
DifferenceGrid difference_grid(const Mount& mount, AxisKind axis);

struct MountDifference {
  struct Place {
    double frequency_hz = 0.0, amplitude = 0.0, preload = 0.0;
  };
  double static_rel = 0.0, static_at = 0.0;
  double k_dyn_rel = 0.0;
  Place k_dyn_at;
  double loss_angle = 0.0;  // rad
  Place loss_angle_at;
  double path_rel = 0.0;
  double hot_k_dyn_rel = 0.0, hot_loss_angle = 0.0, hot_at_c = 0.0;

  // Nothing but rounding: 1e-6 of stiffness is what the rig's own test for a repeating response leaves, 1e-9 what
  // curves leave.
  bool none() const {
    return static_rel < 1e-9 && k_dyn_rel < 1e-6 && loss_angle < 1e-6 && path_rel < 1e-6 && hot_k_dyn_rel < 1e-6 &&
           hot_loss_angle < 1e-6;
  }
};

// What one mount does on the grid.
struct RigPrint {
  std::vector<double> static_force, path_force;
  std::vector<std::complex<double>> stiffness;         // of every point: preload by preload, amplitude by amplitude
  std::vector<std::vector<std::complex<double>>> hot;  // the same at each temperature
};
RigPrint rig_print(const Mount& mount, const DifferenceGrid& grid);

// Of two prints on the same grid.
MountDifference mount_difference(const RigPrint& model, const RigPrint& other, const DifferenceGrid& grid);

// At one point of the map alone: stiffness of `other` relative to the model's, and loss angles.
struct PointDifference {
  SteadyResponse model, other;
};
PointDifference difference_at(const Mount& model, const Mount& other, double frequency_hz, double amplitude,
                              double preload);

}  // namespace kdyn::inline rig
