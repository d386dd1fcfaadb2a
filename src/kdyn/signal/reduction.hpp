// SPDX-License-Identifier: Apache-2.0
// Data reduction of a steady sine measurement, the same for a real and for the virtual rig.
//
//   [signal E1] first harmonic: K = sum F_j e^(-i w t_j) / sum u_j e^(-i w t_j) over whole cycles; k_dyn = |K|, loss angle = arg K
//   [signal E2] loop: k_dyn = (Fmax - Fmin)/(umax - umin); loss angle = asin(A / (pi (Fmax - Fmin)(umax - umin)/4)), A = loop area
// The asin of [signal E2] saturates at 90 degrees: mounts that lose more (hydro mounts near resonance) need the first
// harmonic.
#pragma once

#include <complex>
#include <span>

namespace kdyn::inline signal {

struct Reduction {
  double amplitude = 0.0;                          // achieved, zero to peak of the first harmonic of displacement
  double k_dyn = 0.0, loss_angle = 0.0;            // [signal E1]
  double k_dyn_loop = 0.0, loss_angle_loop = 0.0;  // [signal E2]
};

// Samples of exactly `cycles` cycles, evenly spaced, the first sample of the next cycle not included.
Reduction reduce_sine(std::span<const double> displacement, std::span<const double> force, int cycles);

// [signal E10] The same when samples do not fill whole cycles: least squares of both signals on cos, sin and a constant
// of the known phase (rad); the loop stiffness is the ratio of the ranges, the loop area that of the first harmonic.
Reduction reduce_by_phase(std::span<const double> phase, std::span<const double> displacement,
                          std::span<const double> force);

}  // namespace kdyn::inline signal
