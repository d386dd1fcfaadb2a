// SPDX-License-Identifier: Apache-2.0
// The model for frequency-domain work: a linear element that behaves like the mount at one amplitude over a range of frequencies.
//
// [rig E16] K(w) = k0 + sum_i k_i (i w t_i)/(1 + i w t_i), k_i >= 0: a generalised Maxwell element fitted to the first-harmonic stiffness at
// the chosen amplitude by non-negative least squares on relative errors, times t_i evenly spaced in the logarithm. Causal, passive, and a
// state-space model of as many states as terms; friction, whose loss does not depend on frequency, needs several terms.
// [rig E17] Where no sum of Maxwell terms does (a hydro mount resonates), one fluid term joins them: a spring in series with a mass and a
// damper, k_f (s^2 + 2 z w_f s)/(s^2 + 2 z w_f s + w_f^2). It too is passive; frequency and damping by a search around the linear solution.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/element/mount.hpp"

namespace kdyn {

struct LinearModelOptions {
  double amplitude_m = 2e-4;
  double preload_n = 0.0;
  double from_hz = 1.0, to_hz = 100.0;
  std::int64_t terms = 8;
};

template <>
const FieldTable& field_table<LinearModelOptions>();

struct LinearModel {
  double static_stiffness = 0.0;  // k0, N/m
  struct Fluid {
    double stiffness = 0.0;                    // k_f, N/m; 0: no such term
    double frequency_hz = 0.0, damping = 0.0;  // w_f/(2 pi), z
  } fluid;
  std::vector<double> stiffness, time;  // k_i in N/m, t_i in s; terms that are not needed are left out
  std::vector<double> frequency_hz;     // where the two were compared
  std::vector<std::complex<double>> target, model;
  double misfit = 0.0;  // norm(model - target)/norm(target)

  std::complex<double> stiffness_at(double hz) const;
};

LinearModel linear_model(const Mount& mount, const LinearModelOptions& options);

}  // namespace kdyn
