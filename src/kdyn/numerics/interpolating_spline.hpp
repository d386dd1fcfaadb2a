// SPDX-License-Identifier: Apache-2.0
// A smooth curve through given points: spline of fifth degree with four continuous derivatives [numerics E11], so that
// a measured motion can be differentiated twice. At the ends the first three and the last three pieces are one
// polynomial each ("not a knot"): slopes there come from the data and not from an assumption. Fewer than six points:
// the polynomial through them. Valid between the first and the last point; points must be finite and strictly ascending
// in x. The second derivative of a sine sampled n times per period is off by 0.24 % rms for n = 12 and by 6 % for n
// = 6.
#pragma once

#include <vector>

#include "kdyn/base/curve.hpp"

namespace kdyn::inline numerics {

class InterpolatingSpline {
 public:
  explicit InterpolatingSpline(const Curve& points);

  struct Values {
    double value = 0.0, slope = 0.0, second = 0.0, third = 0.0;
  };
  // Of x outside the points: the polynomial of the nearest piece.
  Values operator()(double x) const;
  double lower() const { return lower_; }
  double upper() const { return upper_; }

 private:
  std::size_t span_of(double x) const;

  int degree_ = 0;
  double lower_ = 0.0, upper_ = 0.0;
  std::vector<double> knots_, coefficients_;
};

// A curve without what changes faster than its user believes: at each point the cubic that fits the neighbours best,
// weighted by a bell of standard deviation s in x [numerics E12]. Motion up to `keep_hz` stays within 2 %, from
// about 3.3 times that on it is gone. Ends are treated as the rest, with the neighbours there are.
Curve smoothed(const Curve& points, double keep_hz);

// Content near the limit of the sampling, as noise or kinks have it: rms of fourth over rms of second differences. 0.27
// for a sine of 12 samples per period, 1 for one of 6, 3.4 for white noise, 2.4 for a kink. 0 with fewer than five
// points.
double roughness(const Curve& points);

}  // namespace kdyn::inline numerics
