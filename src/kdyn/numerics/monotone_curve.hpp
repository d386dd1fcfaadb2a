// SPDX-License-Identifier: Apache-2.0
// A smooth curve through points that keeps their monotony: piecewise cubic Hermite with Fritsch-Carlson slopes
// [numerics E3], linear outside.
// Value and first derivative are continuous; an increasing table gives an increasing curve everywhere (so it can be inverted).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kdyn/numerics/jet.hpp"

namespace kdyn {

class MonotoneCurve {
 public:
  MonotoneCurve() = default;
  // At least two points; x and y strictly increasing, otherwise Error(bad_input) at `where` naming the point.
  MonotoneCurve(const std::vector<std::pair<double, double>>& points, const std::string& where);

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

  // The curve as data, for generated code: value = y + d (slope + d (c2 + d c3)) with d = x - piece.x. Order of the pieces as below.
  struct Piece {
    double x, y, slope, c2, c3;
  };
  std::vector<Piece> pieces() const;

 private:
  std::size_t interval(double x) const;  // index of the piece that holds x

  // Integral from the first point to x.
  template <class T>
  T from_first(const T& x) const {
    const std::size_t i = interval(value_of(x));
    const T d = x - x_[i];
    return area_[i] + d * (y_[i] + d * (slope_[i] / 2.0 + d * (c2_[i] / 3.0 + d * c3_[i] / 4.0)));
  }

  // Pieces 0 .. n-2 lie between the n points, piece n-1 is the line right of the last point, piece n the line left of the first.
  std::vector<double> x_, y_;            // where a piece starts
  std::vector<double> slope_, c2_, c3_;  // cubic of each piece about its start
  std::vector<double> area_;             // integral from x_[0] to x_[i]
  std::size_t points_ = 0;
};

}  // namespace kdyn
