// SPDX-License-Identifier: Apache-2.0
// Gauss-Legendre quadrature of smooth integrands of any scalar  [numerics E4]. The rule is for [0, 1].
#pragma once

#include <array>

namespace kdyn {

inline constexpr int gauss_points = 24;

struct GaussRule {
  std::array<double, gauss_points> node, weight;  // on [0, 1]
};

// Exact for polynomials of degree 47; built once by Newton's iteration on the Legendre polynomial.
const GaussRule& gauss_rule();

// Integral of f over [0, length]; the scalar of the result is that of f.
template <class T, class F>
T integrate(const T& length, F&& f) {
  const GaussRule& rule = gauss_rule();
  T sum(0.0);
  for (int i = 0; i < gauss_points; ++i) sum += rule.weight[static_cast<std::size_t>(i)] * f(T(rule.node[static_cast<std::size_t>(i)] * length));
  return sum * length;
}

}  // namespace kdyn
