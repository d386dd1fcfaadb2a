// SPDX-License-Identifier: Apache-2.0
// A smooth curve through any points: piecewise cubic Hermite whose slopes are harmonic means of the neighbouring
// secants, and zero where those differ in sign [numerics E17]. It neither overshoots nor adds waves; value and first
// derivative are continuous. Outside its points it goes on along its end slopes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kdyn/base/curve.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

// Slopes at the points of y over x: at least two points, x strictly ascending.
inline std::vector<double> shape_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> slope(n, 0.0);
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  if (n == 2) return {secant(0), secant(0)};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double a = secant(i - 1), b = secant(i);
    if (!(a * b > 0.0)) continue;
    const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i], w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    slope[i] = (w0 + w1) / (w0 / a + w1 / b);
  }
  const auto end = [](double h0, double h1, double s0, double s1) {
    const double s = ((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if (!(s * s0 > 0.0)) return 0.0;
    return s0 * s1 < 0.0 && std::abs(s) > 3.0 * std::abs(s0) ? 3.0 * s0 : s;
  };
  slope[0] = end(x[1] - x[0], x[2] - x[1], secant(0), secant(1));
  slope[n - 1] = end(x[n - 1] - x[n - 2], x[n - 2] - x[n - 3], secant(n - 2), secant(n - 3));
  return slope;
}

class ShapeCurve {
 public:
  ShapeCurve() = default;
  explicit ShapeCurve(const Curve& points) {
    for (const auto& [x, y] : points) x_.push_back(x), y_.push_back(y);
    slope_ = shape_slopes(x_, y_);
  }
  double front() const { return x_.front(); }
  double back() const { return x_.back(); }

  template <class T>
  T value(const T& x) const {
    const double at = value_of(x);
    if (at <= x_.front()) return y_.front() + slope_.front() * (x - x_.front());
    if (at >= x_.back()) return y_.back() + slope_.back() * (x - x_.back());
    const auto i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), at) - x_.begin()) - 1;
    const double h = x_[i + 1] - x_[i], secant = (y_[i + 1] - y_[i]) / h;
    const double c2 = (3.0 * secant - 2.0 * slope_[i] - slope_[i + 1]) / h,
                 c3 = (slope_[i] + slope_[i + 1] - 2.0 * secant) / (h * h);
    const T d = x - x_[i];
    return y_[i] + d * (slope_[i] + d * (c2 + d * c3));
  }

 private:
  std::vector<double> x_, y_, slope_;
};

}  // namespace kdyn::inline numerics
