// SPDX-License-Identifier: Apache-2.0
// Cubic B-spline on even knots [numerics E6], linear outside its range: a smooth curve that is linear in its
// coefficients, as fits need it.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

struct SplineGrid {
  double lower = 0.0, upper = 1.0;
  int intervals = 1;  // the spline has intervals + 3 coefficients

  int coefficients() const { return intervals + 3; }
  double step() const { return (upper - lower) / intervals; }
};

template <class T>
struct Spline {
  SplineGrid grid;
  std::vector<T> c;

  T value(const T& x) const {
    if (value_of(x) < grid.lower) return inside(T(grid.lower)) + (x - grid.lower) * inside_slope(T(grid.lower));
    if (value_of(x) > grid.upper) return inside(T(grid.upper)) + (x - grid.upper) * inside_slope(T(grid.upper));
    return inside(x);
  }
  T slope(const T& x) const {
    return inside_slope(value_of(x) < grid.lower ? T(grid.lower) : value_of(x) > grid.upper ? T(grid.upper) : x);
  }

 private:
  std::size_t piece(const T& x) const {
    const double s = std::floor((value_of(x) - grid.lower) / grid.step());
    return static_cast<std::size_t>(std::fmin(std::fmax(s, 0.0), grid.intervals - 1.0));
  }
  T inside(const T& x) const {
    const std::size_t i = piece(x);
    const T s = (x - grid.lower) / grid.step() - static_cast<double>(i), r = 1.0 - s;
    return (r * r * r * c[i] + (4.0 - 6.0 * s * s + 3.0 * s * s * s) * c[i + 1] +
            (4.0 - 6.0 * r * r + 3.0 * r * r * r) * c[i + 2] + s * s * s * c[i + 3]) /
           6.0;
  }
  T inside_slope(const T& x) const {
    const std::size_t i = piece(x);
    const T s = (x - grid.lower) / grid.step() - static_cast<double>(i), r = 1.0 - s;
    return (-r * r * c[i] + (3.0 * s * s - 4.0 * s) * c[i + 1] + (4.0 * r - 3.0 * r * r) * c[i + 2] +
            s * s * c[i + 3]) /
           (2.0 * grid.step());
  }
};

}  // namespace kdyn::inline numerics
