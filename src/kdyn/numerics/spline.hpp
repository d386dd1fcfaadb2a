// SPDX-License-Identifier: Apache-2.0
// Cubic B-spline on even knots [numerics E6], linear outside its range: a smooth curve that is linear in its
// coefficients, as fits need it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

struct SplineGrid {
  double lower = 0.0, upper = 1.0;
  int intervals = 1;  // the spline has intervals + 3 coefficients

  int coefficients() const { return intervals + 3; }
  double step() const { return (upper - lower) / intervals; }
};

// The four coefficients that a value and its slope depend on, and their weights; outside the range those of the
// tangent.
struct SplineWeights {
  std::size_t first = 0;
  std::array<double, 4> value{}, slope{}, bend{};
};
inline SplineWeights spline_weights(const SplineGrid& grid, double x) {
  const double h = grid.step(), inside = std::fmin(std::fmax(x, grid.lower), grid.upper);
  const double way = (inside - grid.lower) / h,
               piece = std::fmin(std::fmax(std::floor(way), 0.0), grid.intervals - 1.0);
  const double s = way - piece, r = 1.0 - s;
  SplineWeights w;
  w.first = static_cast<std::size_t>(piece);
  w.value = {r * r * r / 6.0, (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0, (4.0 - 6.0 * r * r + 3.0 * r * r * r) / 6.0,
             s * s * s / 6.0};
  w.slope = {-r * r / (2.0 * h), (3.0 * s * s - 4.0 * s) / (2.0 * h), (4.0 * r - 3.0 * r * r) / (2.0 * h),
             s * s / (2.0 * h)};
  if (x == inside)
    w.bend = {r / (h * h), (3.0 * s - 2.0) / (h * h), (3.0 * r - 2.0) / (h * h), s / (h * h)};
  else
    for (std::size_t i = 0; i < 4; ++i) w.value[i] += (x - inside) * w.slope[i];
  return w;
}

// Weights are plain numbers, and the derivative by x comes in by the slope: a Jet costs few sums of vectors.
template <class T>
struct Spline {
  SplineGrid grid;
  std::vector<T> c;

  T value(const T& x) const {
    const SplineWeights w = spline_weights(grid, value_of(x));
    return weighted(w.first, w.value) + plain(w.first, w.slope) * (x - value_of(x));
  }
  T slope(const T& x) const {
    const SplineWeights w = spline_weights(grid, value_of(x));
    return weighted(w.first, w.slope) + plain(w.first, w.bend) * (x - value_of(x));
  }
  // Sum of f value(centre + f reach) over factors f: the weights are summed up first.
  template <class Factors>
  T weighted_sum(const T& centre, const T& reach, const Factors& factors) const {
    std::vector<double> sum(c.size(), 0.0);
    double by_centre = 0.0, by_reach = 0.0;
    for (const double f : factors) {
      const SplineWeights w = spline_weights(grid, value_of(centre) + f * value_of(reach));
      for (std::size_t i = 0; i < 4; ++i) sum[w.first + i] += f * w.value[i];
      const double slope = f * plain(w.first, w.slope);
      by_centre += slope, by_reach += f * slope;
    }
    T out = by_centre * (centre - value_of(centre)) + by_reach * (reach - value_of(reach));
    for (std::size_t i = 0; i < c.size(); ++i)
      if (sum[i] != 0.0) out += sum[i] * c[i];
    return out;
  }

 private:
  T weighted(std::size_t i, const std::array<double, 4>& w) const {
    return w[0] * c[i] + w[1] * c[i + 1] + w[2] * c[i + 2] + w[3] * c[i + 3];
  }
  double plain(std::size_t i, const std::array<double, 4>& w) const {
    return w[0] * value_of(c[i]) + w[1] * value_of(c[i + 1]) + w[2] * value_of(c[i + 2]) + w[3] * value_of(c[i + 3]);
  }
};

}  // namespace kdyn::inline numerics
