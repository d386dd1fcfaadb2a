// SPDX-License-Identifier: Apache-2.0
// Small-amplitude response of any Element by exact derivatives of its evaluate.
//
// [element E3]  K(w) = F_u + i w F_v + F_x (i w I - A)^-1 (B_u + i w B_v),  x_rate = A x + B_u u + B_v v
// at rest at displacement u0. Friction laws contribute their slope at a fresh turning point.
#pragma once

#include <array>
#include <complex>
#include <numbers>

#include "kdyn/element/element.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline element {

// F = F_u u + F_v v + F_x x,  x_rate = B_u u + B_v v + A x
template <int N>
struct LinearElement {
  double f_u = 0.0, f_v = 0.0;
  Eigen::Matrix<double, 1, N> f_x;
  Eigen::Matrix<double, N, 1> b_u, b_v;
  Eigen::Matrix<double, N, N> a;

  std::complex<double> stiffness(double frequency_hz) const {
    using C = std::complex<double>;
    const C iw(0.0, 2.0 * std::numbers::pi * frequency_hz);
    C K = f_u + iw * f_v;
    if constexpr (N > 0) {
      const Eigen::Matrix<C, N, N> resolvent = iw * Eigen::Matrix<C, N, N>::Identity() - a.template cast<C>();
      const Eigen::Matrix<C, N, 1> drive = b_u.template cast<C>() + iw * b_v.template cast<C>();
      const Eigen::Matrix<C, N, 1> x = resolvent.partialPivLu().solve(drive);
      K += (f_x.template cast<C>() * x)(0);
    }
    return K;
  }
};

template <Element Law>
LinearElement<Law::state_count> linearise(const Law& law, double u0) {
  constexpr int n = Law::state_count;
  using J = Jet<n + 2>;
  const auto dual = law.template cast<J>();
  const auto memory = dual.start(J(u0));
  const Motion<J> at{J(u0, n), J(0.0, n + 1)};
  std::array<J, n> x, rate;
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = J(0.0, i);
  const J force = dual.evaluate(at, x.data(), memory, rate.data());
  LinearElement<n> linear;
  linear.f_u = force.v[n];
  linear.f_v = force.v[n + 1];
  for (int j = 0; j < n; ++j) {
    linear.f_x(j) = force.v[j];
    const J& r = rate[static_cast<std::size_t>(j)];
    linear.b_u(j) = r.v[n];
    linear.b_v(j) = r.v[n + 1];
    for (int k = 0; k < n; ++k) linear.a(j, k) = r.v[k];
  }
  return linear;
}

}  // namespace kdyn::inline element
