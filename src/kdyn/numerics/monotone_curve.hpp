// SPDX-License-Identifier: Apache-2.0
// A smooth curve through points that keeps their monotony: piecewise cubic Hermite with Fritsch-Carlson slopes
// [numerics E3], linear outside.
// Value and first derivative are continuous; an increasing table gives an increasing curve everywhere (so it can be
// inverted).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kdyn/base/curve.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

class MonotoneCurve {
 public:
  MonotoneCurve() = default;
  // At least two points; x and y finite and strictly increasing (numerics/curve_check.hpp says where they are not).
  explicit MonotoneCurve(const Curve& points);

  bool empty() const { return x_.empty(); }
  double front() const { return x_.front(); }
  double back() const { return x_.back(); }

  template <class T>
  T value(const T& x) const {
    const std::size_t i = interval(value_of(x));
    const T d = x - x_[i];
    return y_[i] + d * (slope_[i] + d * (c2_[i] + d * c3_[i]));
  }
  template <class T>
  T slope(const T& x) const {
    const std::size_t i = interval(value_of(x));
    const T d = x - x_[i];
    return slope_[i] + d * (2.0 * c2_[i] + 3.0 * d * c3_[i]);
  }
  template <class T>
  T integral(const T& x) const {  // from 0 to x: potential energy of a spring
    return from_first(x) - from_first(0.0);
  }
  double inverse(double y) const;  // x with value(x) = y

 private:
  std::size_t interval(double x) const;  // index of the piece that holds x

  // Integral from the first point to x.
  template <class T>
  T from_first(const T& x) const {
    const std::size_t i = interval(value_of(x));
    const T d = x - x_[i];
    return area_[i] + d * (y_[i] + d * (slope_[i] / 2.0 + d * (c2_[i] / 3.0 + d * c3_[i] / 4.0)));
  }

  // Pieces 0 .. n-2 lie between the n points, piece n-1 is the line right of the last point, piece n the line left of
  // the first.
  std::vector<double> x_, y_;            // where a piece starts
  std::vector<double> slope_, c2_, c3_;  // cubic of each piece about its start
  std::vector<double> area_;             // integral from x_[0] to x_[i]
  std::size_t points_ = 0;
};

inline MonotoneCurve::MonotoneCurve(const Curve& points) {
  for (const auto& [x, y] : points) x_.push_back(x), y_.push_back(y);
  points_ = x_.size();
  const std::size_t n = points_;

  std::vector<double> h(n - 1), secant(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x_[i + 1] - x_[i];
    secant[i] = (y_[i + 1] - y_[i]) / h[i];
  }
  // [numerics E3] Weighted harmonic mean inside (monotone by construction); one-sided three-point formula, limited, at
  // the ends.
  slope_.resize(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double w1 = 2.0 * h[i] + h[i - 1], w2 = h[i] + 2.0 * h[i - 1];
    slope_[i] = (w1 + w2) / (w1 / secant[i - 1] + w2 / secant[i]);
  }
  const auto end_slope = [](double h0, double h1, double s0, double s1) {
    return std::clamp(((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1), 1e-3 * s0, 3.0 * s0);
  };
  slope_[0] = n > 2 ? end_slope(h[0], h[1], secant[0], secant[1]) : secant[0];
  slope_[n - 1] = n > 2 ? end_slope(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]) : secant[0];

  c2_.resize(n - 1);
  c3_.resize(n - 1);
  area_.assign(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    c2_[i] = (3.0 * secant[i] - 2.0 * slope_[i] - slope_[i + 1]) / h[i];
    c3_[i] = (slope_[i] + slope_[i + 1] - 2.0 * secant[i]) / (h[i] * h[i]);
    area_[i + 1] = area_[i] + h[i] * (y_[i] + h[i] * (slope_[i] / 2.0 + h[i] * (c2_[i] / 3.0 + h[i] * c3_[i] / 4.0)));
  }
  // The two linear ends.
  c2_.insert(c2_.end(), 2, 0.0);
  c3_.insert(c3_.end(), 2, 0.0);
  x_.push_back(x_.front());
  y_.push_back(y_.front());
  slope_.push_back(slope_.front());
  area_.push_back(0.0);
}

inline std::size_t MonotoneCurve::interval(double x) const {
  if (x < x_.front()) return points_;
  const auto last = x_.begin() + static_cast<std::ptrdiff_t>(points_);
  return static_cast<std::size_t>(std::upper_bound(x_.begin(), last, x) - x_.begin()) - 1;
}

inline double MonotoneCurve::inverse(double y) const {
  const double first = y_.front(), last = y_[points_ - 1];
  if (y <= first) return x_.front() + (y - first) / slope_.front();
  if (y >= last) return x_[points_ - 1] + (y - last) / slope_[points_ - 1];
  const auto end = y_.begin() + static_cast<std::ptrdiff_t>(points_);
  const auto i = static_cast<std::size_t>(std::upper_bound(y_.begin(), end, y) - y_.begin()) - 1;
  double lower = x_[i], upper = x_[i + 1], x = lower + (y - y_[i]) / (y_[i + 1] - y_[i]) * (upper - lower);
  for (int iteration = 0; iteration < 100; ++iteration) {  // Newton kept inside the bracket by bisection
    const double residual = value(x) - y;
    (residual > 0.0 ? upper : lower) = x;
    const double k = slope(x);
    double next = k > 0.0 ? x - residual / k : lower;
    if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
    if (std::abs(next - x) <= 1e-15 * (std::abs(x) + (x_[i + 1] - x_[i]))) return next;
    x = next;
  }
  return x;
}

}  // namespace kdyn::inline numerics
