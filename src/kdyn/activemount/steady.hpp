// SPDX-License-Identifier: Apache-2.0
// Steady response at a finite amplitude: quadratic fluid damping and an amplitude-dependent diaphragm by describing
// functions.
//
//   [activemount E14]  dK_eq = dK + 8/(3 pi) dKq omega |xK|;   cA, dA from the user's table at |xA|
//
// The equation for dK_eq has exactly one solution (its right side falls as dK_eq rises) and is solved by bisection. The
// table may make the diaphragm soften so much that several amplitudes are steady; then the smallest is given and their
// number told. Against time integration of the quadratic damping: below 0.06 % and 0.03 deg at 1-10 V. The table acts
// in the frequency domain only.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/activemount/active_mount_model.hpp"

namespace kdyn::inline activemount {

// Sinusoidal drive: voltage with the engine side clamped, or displacement with the coil short-circuited. Amplitudes
// zero to peak.
struct ActiveDrive {
  double frequency_hz = 0.0;
  double voltage = 0.0;       // V
  double displacement = 0.0;  // m; exactly one of the two is positive
};

struct ActiveSteadyState {
  std::complex<double> force_x, force_y;        // per volt or per metre, first harmonic
  double amplitude_A = 0.0, amplitude_K = 0.0;  // of xA and xK, m
  double pressure = 0.0;                        // amplitude, Pa
  double dK_equivalent = 0.0, cA = 0.0, dA = 0.0;
  int solutions = 1;  // steady amplitudes found; more than one only with a softening table
};
ActiveSteadyState steady_state_of(const ActiveMount<double>& law, const std::vector<ActuatorTableRow>& table,
                                  const ActiveDrive& drive);

// The same response by time integration from rest until `cycles` cycles have passed, first harmonic of the last one; no
// table.
struct ActiveTimeResponse {
  std::complex<double> force_x, force_y;
  double third_harmonic = 0.0;  // of force_x over its first
};
ActiveTimeResponse integrate_steady(const ActiveMount<double>& law, const ActiveDrive& drive, int cycles,
                                    int samples_per_cycle);

}  // namespace kdyn::inline activemount
