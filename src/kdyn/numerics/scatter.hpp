// SPDX-License-Identifier: Apache-2.0
// How far the points of measured curves scatter about their neighbours: the noise of a measurement without any model of
// it  [numerics E9].
//
// Each point is compared with the cubic through two neighbours on each side (with the line through one on each side
// where a curve has fewer than five points); points of equal place are compared with their mean first. Bends of the
// curve itself count as scatter: an estimate from above, which does not accuse a model wrongly. Steps in which
// measurement errors repeat (a wrong calibration) are not seen.
#pragma once

#include <cstddef>
#include <vector>

namespace kdyn::inline numerics {

class Scatter {
 public:
  void add(const std::vector<double>& x, const std::vector<double>& y);  // one curve, x in any order
  double noise() const;  // robust standard deviation; 0 when nothing could be compared
  std::size_t count() const { return each_.size(); }

 private:
  std::vector<double> each_;  // differences, each with the standard deviation of the noise
};

}  // namespace kdyn::inline numerics
