// SPDX-License-Identifier: Apache-2.0
// Pieces of the fluid: power damping, pressure limit and bypass, each a function of one scalar.
#pragma once

#include <cmath>

#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/log_gamma.hpp"

namespace kdyn::inline hydromount {

// [hydromount E4] |v|^(n-1) v for n >= 1: odd, so that it always brakes (the printed v^n creates energy for odd n).
template <class T>
T odd_power(const T& v, double n) {
  using std::pow;
  const double sign = value_of(v) < 0.0 ? -1.0 : 1.0;
  if (n == 1.0) return v;
  if (value_of(v) == 0.0) return 0.0 * v;
  const T size = sign * v;
  if (n == 2.0) return size * v;
  if (n == 3.0) return v * v * v;
  return sign * pow(size, n);
}

// Factor c_n of the equivalent linear damping of |v|^(n-1) v under a sine: 2/sqrt(pi) Gamma(n/2+1)/Gamma(n/2+3/2)   [hydromount E9]
inline double power_damping_factor(double n) {
  return 2.0 / 1.7724538509055160273 * std::exp(log_gamma(0.5 * n + 1.0) - log_gamma(0.5 * n + 1.5));
}

// [hydromount E7] Pressure after the limit P on the rebound side, smooth over the pressure e; p = p0 far above -P, -P
// far below.
template <class T>
T limited_pressure(const T& p0, const T& P, const T& e) {
  using std::sqrt;
  return 0.5 * (p0 + P + sqrt((p0 + P) * (p0 + P) + e * e)) - 0.5 * (P + sqrt(P * P + e * e));
}
template <class T>
T limited_pressure_slope(const T& p0, const T& P, const T& e) {
  using std::sqrt;
  return 0.5 * (1.0 + (p0 + P) / sqrt((p0 + P) * (p0 + P) + e * e));
}

// [hydromount E8] Volume flow through the bypass: an orifice that opens above the threshold, with a finite slope where
// it opens.
template <class T>
T bypass_flow(const T& p, const T& area, const T& threshold, const T& density) {
  using std::sqrt;
  const double sign = value_of(p) < 0.0 ? -1.0 : 1.0;
  const T excess = sign * p - threshold;
  if (!(value_of(excess) > 0.0)) return 0.0 * p;
  const T knee = 0.02 * threshold;
  return sign * area * sqrt(2.0 / density) * excess / sqrt(sqrt(excess * excess + knee * knee));
}
template <class T>
T bypass_flow_slope(const T& p, const T& area, const T& threshold, const T& density) {
  using std::sqrt;
  const double sign = value_of(p) < 0.0 ? -1.0 : 1.0;
  const T excess = sign * p - threshold;
  if (!(value_of(excess) > 0.0)) return 0.0 * p;
  const T knee = 0.02 * threshold;
  const T square = excess * excess + knee * knee;
  return area * sqrt(2.0 / density) * (1.0 - 0.5 * excess * excess / square) / sqrt(sqrt(square));
}

}  // namespace kdyn::inline hydromount
