// SPDX-License-Identifier: Apache-2.0
// The filler network of strongly filled rubber as springs and sliders: its backbone, and what a steady sine makes of
// it.
//
//   [rivals E11]  F(x) = k_p x/(1 + X)^(s/p),   X = (x/x_c)^p   for x >= 0, odd
//
// k_p is the stiffness for vanishing amplitude, x_c the displacement at which the network breaks down, p how early that
// begins, s how fast the stiffness then falls (F(x)/x like x^-s). s = p gives the secant stiffness of Kraus, k_p/(1 +
// (x/x_c)^(2m)) with 2m = p; s = 1 has a largest force, k_p x_c. F rises and is concave for every p > 0 and 0 <= s <=
// 1, so that springs and sliders with F as their sum exist  [rivals E12]. Units: x, x_c in m (or rad), k_p in N/m.
// Everything is written with logarithms: no overflow for any ratio x/x_c.
#pragma once

#include <algorithm>
#include <cmath>

#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/quadrature.hpp"
#include "kdyn/rivals/by_parts.hpp"

namespace kdyn::inline rivals {

template <class T>
struct PayneNetwork {
  T stiffness{0.0};     // k_p
  T displacement{1.0};  // x_c
  T onset{1.0};         // p
  T tail{1.0};          // s

  // [rivals E11] With its derivatives: with L = ln(1 + X) and z = X/(1 + X)
  //   dF = F dk/k + F (1 - s z) dx/x + F s z dx_c/x_c - F L ds/p + F (s/p) (L/p - z ln(x/x_c)) dp
  T value(const T& x) const {
    const double at = value_of(x), k = value_of(stiffness), xc = value_of(displacement), p = value_of(onset),
                 s = value_of(tail);
    if (at == 0.0) return stiffness * x;
    const double ratio = std::log((at < 0.0 ? -at : at) / xc), power = p * ratio, small = std::exp(-std::abs(power));
    const double L = (power > 0.0 ? power : 0.0) + std::log1p(small),
                 z = power > 0.0 ? 1.0 / (1.0 + small) : small / (1.0 + small);
    const double unit = at * std::exp(-(s / p) * L), force = k * unit;
    const double slope[5] = {unit, force / at * (1.0 - s * z), force * s * z / xc, -force * L / p,
                             force * (s / p) * (L / p - z * ratio)};
    const T* of[5] = {&stiffness, &x, &displacement, &tail, &onset};
    return by_parts(force, slope, of, 5);
  }

  // [rivals E14] Integral of the backbone from 0 to |x|: a series up to x_c; beyond it Gauss' rule in ln x, in pieces
  // that are short against the nearest singularity, pi/p off the real axis.
  T area(const T& x) const {
    using std::exp;
    using std::log;
    const T distance = value_of(x) < 0.0 ? T(-x) : x;
    if (value_of(distance) <= value_of(displacement)) return inner_area(distance);
    const T length = log(distance / displacement);
    const int pieces = 1 + static_cast<int>(std::min(1000.0, value_of(length) * std::max(1.5, value_of(onset)) / 6.0));
    const T piece = length / static_cast<double>(pieces);
    T sum = inner_area(displacement);
    for (int i = 0; i < pieces; ++i)
      sum += integrate(piece, [&](const T& t) {
        const T y = displacement * exp(static_cast<double>(i) * piece + t);
        return T(value(y) * y);
      });
    return sum;
  }

 private:
  // ln(1 + X), X = exp(p ln(|x|/x_c))
  T log_one_plus(const T& x) const {
    using std::exp;
    using std::log;
    using std::log1p;
    const T power = onset * log((value_of(x) < 0.0 ? T(-x) : x) / displacement);
    return value_of(power) > 0.0 ? T(power + log1p(exp(-power))) : T(log1p(exp(power)));
  }

  // (k_p x^2/2) (1 + X)^(-s/p) sum of (s/p)_n/(1 + 2/p)_n z^n with z = X/(1 + X) <= 1/2
  T inner_area(const T& x) const {
    using std::exp;
    if (value_of(x) == 0.0) return T(0.0);
    const T r = tail / onset, c = 1.0 + 2.0 / onset, z = 1.0 - exp(-log_one_plus(x));
    T term(1.0), sum(1.0);
    for (int n = 0; n < 200 && std::abs(value_of(term)) > 1e-18; ++n) {
      term *= (r + static_cast<double>(n)) / (c + static_cast<double>(n)) * z;
      sum += term;
    }
    return 0.5 * x * value(x) * sum;
  }
};

}  // namespace kdyn::inline rivals
