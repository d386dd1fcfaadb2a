// SPDX-License-Identifier: Apache-2.0
// A smooth curve through points that keeps their monotony: piecewise cubic Hermite with Fritsch-Carlson slopes, linear outside.
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
  double integral(double x) const;  // from 0 to x: potential energy of a spring
  double inverse(double y) const;   // x with value(x) = y

 private:
  std::size_t interval(double x) const;  // index into the pieces; the last ones are the linear ends

  std::vector<double> x_, y_;               // given points, then repeated: [n] right end piece, [n+1] left end piece
  std::vector<double> slope_, c2_, c3_;     // cubic of each piece about its start
  std::vector<double> area_;                // integral from x_[0] to x_[i]
  std::size_t points_ = 0;
};

}  // namespace kdyn
