// SPDX-License-Identifier: Apache-2.0
// Motion across an element and how it is interpolated inside a time step.
//
// [element E2] Between two samples displacement is the cubic Hermite polynomial of (u, v) at both ends; its velocity is
// a quadratic whose roots inside the step are the turning points of the path (displacement error of fourth order in the
// step).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline element {

template <class T>
struct Motion {
  T u{0.0};  // displacement, m or rad
  T v{0.0};  // velocity
};

// Velocity inside a step as c0 + c1 s + c2 s^2 with s = t/h in [0, 1]   [element E2]
template <class T>
struct StepVelocity {
  T c0, c1, c2;

  StepVelocity(const Motion<T>& from, const Motion<T>& to, const T& h) : c0(from.v) {
    const T secant = (to.u - from.u) / h;
    c1 = -4.0 * from.v - 2.0 * to.v + 6.0 * secant;
    c2 = 3.0 * (from.v + to.v) - 6.0 * secant;
  }

  // Positions s in (0, 1) where the velocity changes sign, ascending; count in `n`.
  std::array<double, 2> turning(int& n) const {
    const double a = value_of(c2), b = value_of(c1), c = value_of(c0);
    std::array<double, 2> s{};
    n = 0;
    // Same sign at both ends and no extreme of the velocity between them: most steps end here.
    if (c * (a + b + c) > 0.0 && b * (b + 2.0 * a) >= 0.0) return s;
    const double disc = b * b - 4.0 * a * c;
    if (!(disc > 0.0)) return s;
    // Numerically stable pair of roots; a = 0 leaves the one of the linear equation.
    const double q = -0.5 * (b + std::copysign(std::sqrt(disc), b));
    const double r1 = a != 0.0 ? q / a : -1.0, r2 = q != 0.0 ? c / q : -1.0;
    for (const double r : {std::min(r1, r2), std::max(r1, r2)})
      if (r > 0.0 && r < 1.0) s[static_cast<std::size_t>(n++)] = r;
    return s;
  }

  // Displacement travelled from the start of the step to s, over h.
  T travelled(double s) const { return s * (c0 + s * (c1 / 2.0 + s * (c2 / 3.0))); }
};

}  // namespace kdyn::inline element
