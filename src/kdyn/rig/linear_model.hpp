// SPDX-License-Identifier: Apache-2.0
// The model for frequency-domain work: a linear element that behaves like the mount at one amplitude over a range of
// frequencies.
//
// [rig E16] K(w) = k0 + sum_i k_i (i w t_i)/(1 + i w t_i), k_i >= 0: a generalised Maxwell element. k0 is not fitted:
// it is the slope of the static curve at the preload, so that static equilibrium and stiffness at rest are those of the
// mount. The k_i follow from the first-harmonic stiffness at the chosen amplitude by non-negative least squares on
// relative errors, times t_i out of many evenly spaced in the logarithm. Causal, passive, and a state-space model of as
// many states as terms; friction, whose loss does not depend on frequency, needs several terms. [rig E17] Where no sum
// of Maxwell terms does (a hydro mount resonates), one fluid term joins one Maxwell term and a damper: a spring in
// series with a mass and a damper, k_f (s^2 + 2 z w_f s)/(s^2 + 2 z w_f s + w_f^2). It too is passive; its frequency
// and damping and the time of the Maxwell term by a search around the linear solution.
//
// The model is linear about the operating point: its displacement and force count from there. As a model file it is the
// law `maxwell`, or, with a fluid term, the law `hydromount` with constant springs and linear damping.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/element/mount.hpp"

namespace kdyn::inline rig {

struct LinearModelOptions {
  double amplitude_m = 2e-4;
  double preload_n = 0.0;
  double from_hz = 1.0, to_hz = 100.0;
  std::int64_t terms = 8;
};

const FieldTable& fields_of(const LinearModelOptions*);

struct LinearModel {
  double displacement = 0.0, preload = 0.0;  // the operating point, m and N
  double static_stiffness = 0.0;             // k0, N/m
  double damping = 0.0;                      // of a damper beside a fluid term, N s/m
  struct Fluid {
    double stiffness = 0.0;                    // k_f, N/m; 0: no such term
    double frequency_hz = 0.0, damping = 0.0;  // w_f/(2 pi), z
  } fluid;
  std::vector<double> stiffness, time;  // k_i in N/m, t_i in s; terms that are not needed are left out
  std::vector<double> frequency_hz;     // where the two were compared
  std::vector<std::complex<double>> target, model;
  double misfit = 0.0;                 // norm(model - target)/norm(target)
  double worst = 0.0, worst_hz = 0.0;  // largest relative difference and where

  std::complex<double> stiffness_at(double hz) const;
};

LinearModel linear_model(const Mount& mount, const LinearModelOptions& options);

// The model file. A fluid term takes chamber, channel and density from `mount` when that is a hydro mount, and round
// values otherwise; the length of the channel and the damping make frequency and damping of the term.
void linear_model_json(const LinearModel& model, const Mount& mount, Json& out);

}  // namespace kdyn::inline rig
