// SPDX-License-Identifier: Apache-2.0
// Static part made of one stiffness per preload, for any scalar  [identify E7].
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline identify {

// Between two preloads k is linear in F, so F is an exponential in u; outside it is straight. u counts from the
// unloaded mount.
template <class T>
class PreloadCurve {
 public:
  PreloadCurve() = default;
  // At least two preloads, ascending, and a positive stiffness for each.
  PreloadCurve(const std::vector<double>& preloads, std::vector<T> k) : force_(preloads), k_(std::move(k)) {
    u_.assign(force_.size(), T(0.0));
    for (std::size_t i = 0; i + 1 < force_.size(); ++i) u_[i + 1] = u_[i] + travel(i, force_[i + 1]);
    const T zero = displacement(0.0);
    for (T& u : u_) u -= zero;
  }

  T value(const T& u) const {
    using std::expm1;
    const std::size_t i = piece(u);
    const T d = u - u_[i], m = rate(i, value_of(d));
    if (std::abs(value_of(m * d)) < 1e-6) return force_[i] + k_[i] * d * (1.0 + 0.5 * m * d);
    return force_[i] + k_[i] * expm1(m * d) / m;
  }
  T slope(const T& u) const {
    using std::exp;
    const std::size_t i = piece(u);
    const T d = u - u_[i];
    return k_[i] * exp(rate(i, value_of(d)) * d);
  }
  // Displacement at a force.
  T displacement(double force) const {
    std::size_t i = 0;
    while (i + 2 < force_.size() && force > force_[i + 1]) ++i;
    if (force > force_[i + 1]) return u_[i + 1] + (force - force_[i + 1]) / k_[i + 1];
    if (force < force_[i]) return u_[i] + (force - force_[i]) / k_[i];
    return u_[i] + travel(i, force);
  }

 private:
  // The piece that starts at preload i; the last one is the straight end.
  std::size_t piece(const T& u) const {
    std::size_t i = 0;
    while (i + 1 < u_.size() && value_of(u) > value_of(u_[i + 1])) ++i;
    return i;
  }
  // dk/dF of a piece; d is the distance from its start, negative left of the first preload.
  T rate(std::size_t i, double d) const {
    if (i + 1 == k_.size() || d < 0.0) return T(0.0);
    return (k_[i + 1] - k_[i]) / (force_[i + 1] - force_[i]);
  }
  // Displacement from preload i to a force of the same piece.
  T travel(std::size_t i, double force) const {
    using std::log1p;
    const T distance = (force - force_[i]) / k_[i];
    const T x = rate(i, 0.0) * distance;  // relative change of stiffness on the way, over its value at the start
    if (std::abs(value_of(x)) < 1e-6) return distance * (1.0 - 0.5 * x);
    return distance * log1p(x) / x;
  }

  std::vector<double> force_;
  std::vector<T> k_, u_;
};

// [identify E7] The curve through the preloads as a table, dense enough that its interpolation cannot be told from it.
inline std::vector<std::pair<double, double>> points_of(const PreloadCurve<double>& curve,
                                                        const std::vector<double>& preloads) {
  constexpr int steps = 40;
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i + 1 < preloads.size(); ++i)
    for (int s = i == 0 ? 0 : 1; s <= steps; ++s) {
      const double force = preloads[i] + (preloads[i + 1] - preloads[i]) * s / steps;
      points.emplace_back(curve.displacement(force), force);
    }
  return points;
}

}  // namespace kdyn::inline identify
