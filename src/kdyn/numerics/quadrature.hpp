// SPDX-License-Identifier: Apache-2.0
// Gauss-Legendre quadrature of smooth integrands of any scalar  [numerics E4]. The rule is for [0, 1].
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

inline constexpr int gauss_points = 24;

struct GaussRule {
  std::array<double, gauss_points> node, weight;  // on [0, 1]
};

// Exact for polynomials of degree 47; built once by Newton's iteration on the Legendre polynomial.
inline const GaussRule& gauss_rule() {
  static const GaussRule rule = [] {
    GaussRule r{};
    const int n = gauss_points;
    for (int i = 0; i < n; ++i) {
      double x = std::cos(constants::pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
      for (int iteration = 0; iteration < 50; ++iteration) {
        double p0 = 1.0, p1 = x;
        for (int k = 2; k <= n; ++k) {
          const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
          p0 = p1;
          p1 = p2;
        }
        slope = n * (x * p1 - p0) / (x * x - 1.0);
        const double step = p1 / slope;
        x -= step;
        if (std::abs(step) < 1e-16) break;
      }
      const auto at = static_cast<std::size_t>(i);
      r.node[at] = 0.5 * (1.0 - x);
      r.weight[at] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    return r;
  }();
  return rule;
}

// Integral of f over [0, length]; the scalar of the result is that of f.
template <class T, class F>
T integrate(const T& length, F&& f) {
  const GaussRule& rule = gauss_rule();
  T sum(0.0);
  for (int i = 0; i < gauss_points; ++i)
    sum += rule.weight[static_cast<std::size_t>(i)] * f(T(rule.node[static_cast<std::size_t>(i)] * length));
  return sum * length;
}

}  // namespace kdyn::inline numerics
