// SPDX-License-Identifier: Apache-2.0
// Narrowband filtered-x LMS control of an active mount: sampled secondary path, exact stability margin, phase limits.
//
//   [activemount E17]  x+ = Ad x + Bd u, e = C x + d;  Ad, Bd by zero-order hold at the sampling rate
//   [activemount E18]  w+ = w - mu conj(x') e,  x' = Shat exp(i theta),  u = Re(w exp(i theta)),  theta+ = theta + omega T
//   [activemount E19]  v = w exp(i theta):  v+ = exp(i omega T) (v - mu conj(Shat) e),  u = Re v
// With the rotating weight v the loop is linear and time-invariant, so the spectral radius of its matrix (six
// mechanical and electrical states, v as two real ones) decides: below 1 the disturbance is cancelled, above 1 the loop
// diverges. No "90 degrees" is assumed.
//
// Sign of the update: minus, since e = d + S u (the paper prints plus, which diverges with an exact estimate). Shat is
// an estimate of the SAMPLED path; the hold alone turns the phase by -9.4 deg at 100 Hz and 2 kHz. The step is given
// normalised: mu = step/|Shat|^2. Phase error phi: Shat = S exp(i phi). The main rubber's state zT is not controllable
// from the coil and is left out.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kdyn/activemount/active_mount.hpp"
#include "kdyn/activemount/transfer.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline activemount {

struct SampledPath {
  double sample_rate_hz = 0.0;
  ActivePath path = ActivePath::S_y;
  Eigen::Matrix<double, 6, 6> A;
  Eigen::Matrix<double, 6, 1> B;
  Eigen::Matrix<double, 1, 6> C;

  std::complex<double> response(double frequency_hz) const;  // N/V
};
// [activemount E17] for S_x or S_y.
SampledPath sample_path(const ActiveMount<double>& law, ActivePath path, double sample_rate_hz);

// [activemount E19] Spectral radius of the closed loop at a reference frequency; mu in V/N per sample, estimate in N/V.
double loop_radius(const SampledPath& plant, double frequency_hz, double mu, std::complex<double> estimate);
// The same for an estimate of right size whose phase is wrong by this angle, with the step normalised.
double loop_radius_at(const SampledPath& plant, double frequency_hz, double step, double phase_error_deg);

// Largest phase errors of either sign up to which the loop is stable, counting from zero error; to 0.01 deg.
struct PhaseLimits {
  double frequency_hz = 0.0, step = 0.0;
  bool stable_without_error = false;       // false: unstable even with an exact estimate; the limits are then zero
  double plus_deg = 0.0, minus_deg = 0.0;  // minus is negative
};
PhaseLimits phase_limits(const SampledPath& plant, double frequency_hz, double step);

// Largest step that is stable with an exact estimate (between 0 and 2).
double largest_step(const SampledPath& plant, double frequency_hz);

}  // namespace kdyn::inline activemount
