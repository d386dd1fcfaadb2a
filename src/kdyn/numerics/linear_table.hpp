// SPDX-License-Identifier: Apache-2.0
// A table read by straight lines between its points, held constant outside: for factors and signals, where no
// smoothness is asked for.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace kdyn::inline numerics {

// Points with x ascending; two points with one x make a jump, whose upper side counts at x itself.
inline double table_value(const std::vector<std::pair<double, double>>& points, double x) {
  if (points.empty()) return 0.0;
  const auto after = std::upper_bound(points.begin(), points.end(), x,
                                      [](double value, const auto& point) { return value < point.first; });
  if (after == points.begin()) return points.front().second;
  if (after == points.end()) return points.back().second;
  const auto& [x1, y1] = *after;
  const auto& [x0, y0] = *(after - 1);
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

}  // namespace kdyn::inline numerics
