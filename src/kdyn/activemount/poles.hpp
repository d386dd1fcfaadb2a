// SPDX-License-Identifier: Apache-2.0
// Poles and zeros of the active mount: exact ones of the damped model beside the rules of thumb.
//
// Exact: roots of the numerator and denominator polynomials of [activemount E9] and [activemount E10]; see THEORY.md
// for their products [activemount E11]. The passive paths have the pole of the main rubber's relaxation besides, and
// one zero more than poles. Rules: [activemount E12] undamped and without coil, fluid and actuator apart (paper,
// 36-42); they put the actuator's resonance 35 % low.
//        [activemount E13] the same with the stiffness the bulge and the coil have at that frequency, a fixed point (2-3 % from exact).
#pragma once

#include <complex>
#include <vector>

#include "kdyn/activemount/active_mount.hpp"
#include "kdyn/activemount/transfer.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline activemount {

struct Root {
  std::complex<double> s;     // rad/s; of a pair only the one with positive imaginary part is listed
  double frequency_hz = 0.0;  // |s|/2 pi
  double damping = 0.0;       // -Re s/|s|; 0 for a root at zero
};

// In descending order of |s|.
std::vector<Root> poles_of(
    const ActiveMount<double>& law);  // of S_x and S_y; those of the passive paths but the rubber's
std::vector<Root> zeros_of(const ActiveMount<double>& law, ActivePath path);

// [activemount E12]
struct ApproximateRoots {
  double fluid_pole_hz, actuator_pole_hz, electrical_pole;  // the last in 1/s
  double P_yx_zero_1_hz, P_yx_zero_2_hz, S_y_zero_hz;
};
ApproximateRoots approximate_roots(const ActiveMount<double>& law);

// [activemount E13]; converged is false when the fixed point was not reached (then the last iterate is given).
struct CorrectedRoots {
  double actuator_pole_hz = 0.0, S_y_zero_hz = 0.0;
  bool converged = false;
};
CorrectedRoots corrected_roots(const ActiveMount<double>& law);

// All dampers and the back-EMF taken out: the model behind the rules of thumb.
ActiveMount<double> undamped(ActiveMount<double> law);

// [activemount E6] as matrices: x' = A x + B [xT, vT, U],  [fx, fy] = C x + D [xT, vT, U]. Velocity is an input of its
// own because the rubber's series damper makes the passive paths improper. Derivatives of ActiveMount::respond at rest,
// by Jets.
struct ActiveStateSpace {
  Eigen::Matrix<double, 7, 7> A;
  Eigen::Matrix<double, 7, 3> B;
  Eigen::Matrix<double, 2, 7> C;
  Eigen::Matrix<double, 2, 3> D;
};
ActiveStateSpace state_space_of(const ActiveMount<double>& law);

}  // namespace kdyn::inline activemount
