// SPDX-License-Identifier: Apache-2.0
// Elastomer from the few numbers of a data sheet: dynamic hardening at two amplitudes and one loss angle, at one
// frequency.
//
// [identify E1]  unknowns (ln rdl, ln rho, lambda); equations k_dyn(a1) = DH1 k, k_dyn(a2) = DH2 k, delta(a1) = delta1
// alpha, beta, gamma and ymax are given. Three equations, three unknowns: solved to round-off, in microseconds, with
// exact derivatives. lambda < 0 means that friction alone loses more than the angle asked for: reported as infeasible,
// with lambda held at 0.
#pragma once

#include <string>

#include "kdyn/elastomer/elastomer.hpp"

namespace kdyn::inline identify {

enum class Criterion { harmonic, loop };  // which data reduction the numbers come from

struct TwoPointInput {
  double dynamic_hardening_1 = 0.0, dynamic_hardening_2 = 0.0;  // k_dyn / k_stat, > 1
  double amplitude_1 = 0.0, amplitude_2 = 0.0;                  // m, zero to peak
  double loss_angle = 0.0;                                      // rad, at amplitude_1
  double frequency_hz = 0.0;
};

struct TwoPointResult {
  std::string status = "not run";  // converged | infeasible | not_converged
  std::string reason;
  Elastomer<double> law;
  double residual = -1.0;  // largest relative misfit of the three equations
  double unconstrained_lambda =
      0.0;  // root of the three equations: negative when infeasible; rdl and rho of the same root beside it
  double unconstrained_rdl = 0.0, unconstrained_rho = 0.0;
  int iterations = 0;
};

// `given` carries friction law, static stiffness, alpha, beta, gamma, ymax; rdl, rho and lambda are found.
TwoPointResult identify_two_point(const Elastomer<double>& given, const TwoPointInput& input, Criterion criterion);

}  // namespace kdyn::inline identify
