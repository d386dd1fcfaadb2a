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
    const std::size_t i = piece(value_of(u));
    const T d = u - u_[i], m = rate(i, value_of(d));
    const Share share = share_of(i, value_of(d), value_of(m));
    return share.value + share.by_k * (k_[i] - value_of(k_[i])) + share.by_d * (d - value_of(d)) +
           share.by_m * (m - value_of(m));
  }
  // Sum of f value(centre + f reach) over factors f: what each piece gets is summed up before derivatives come in.
  template <class Factors>
  T weighted_sum(const T& centre, const T& reach, const Factors& factors) const {
    std::vector<Share> sums(k_.size() + 1);  // the last: left of the first preload
    double value = 0.0, by_centre = 0.0, by_reach = 0.0;
    for (const double f : factors) {
      const double u = value_of(centre) + f * value_of(reach);
      const std::size_t i = piece(u);
      const double d = u - value_of(u_[i]);
      const Share share = share_of(i, d, value_of(rate(i, d)));
      Share& sum = sums[d < 0.0 ? k_.size() : i];
      value += f * share.value;
      sum.by_k += f * share.by_k, sum.by_d += f * share.by_d, sum.by_m += f * share.by_m;
      by_centre += f * share.by_d, by_reach += f * f * share.by_d;
    }
    T out = value + by_centre * (centre - value_of(centre)) + by_reach * (reach - value_of(reach));
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const Share& sum = sums[s];
      if (sum.by_d == 0.0 && sum.by_k == 0.0) continue;
      const std::size_t i = s == k_.size() ? 0 : s;
      const T m = rate(i, s == k_.size() ? -1.0 : 0.0);
      out += sum.by_k * (k_[i] - value_of(k_[i])) - sum.by_d * (u_[i] - value_of(u_[i])) + sum.by_m * (m - value_of(m));
    }
    return out;
  }
  T slope(const T& u) const {
    using std::exp;
    const std::size_t i = piece(value_of(u));
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
  std::size_t piece(double u) const {
    std::size_t i = 0;
    while (i + 1 < u_.size() && u > value_of(u_[i + 1])) ++i;
    return i;
  }
  // Force on piece i at the distance d from its start, and its derivatives by the stiffness there, d and dk/dF = m.
  struct Share {
    double value = 0.0, by_k = 0.0, by_d = 0.0, by_m = 0.0;
  };
  Share share_of(std::size_t i, double d, double m) const {
    const double k = value_of(k_[i]), x = m * d;
    if (std::abs(x) < 1e-6)
      return {force_[i] + k * d * (1.0 + 0.5 * x), d * (1.0 + 0.5 * x), k * (1.0 + x), 0.5 * k * d * d};
    const double grown = std::expm1(x), travel = grown / m;
    return {force_[i] + k * travel, travel, k * (1.0 + grown), k * (d * (1.0 + grown) - travel) / m};
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
