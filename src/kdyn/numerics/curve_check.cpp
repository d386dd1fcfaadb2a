// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/curve_check.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline numerics {

void check_rising(const Curve& points, const std::string& where) {
  if (points.size() < 2)
    throw_bad_input(where, fmt::format("a curve needs at least two points, {} given", points.size()),
                    "give [[x, y], [x, y], ...]");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].first) || !std::isfinite(points[i].second))
      throw_bad_input(fmt::format("{}[{}]", where, i), "a curve point is not finite", "remove the point");
    if (i > 0 && !(points[i].first > points[i - 1].first && points[i].second > points[i - 1].second))
      throw_bad_input(fmt::format("{}[{}]", where, i),
                      fmt::format("the curve does not rise from ({:g}, {:g}) to ({:g}, {:g})", points[i - 1].first,
                                  points[i - 1].second, points[i].first, points[i].second),
                      "sort by displacement and remove or smooth points so that both columns increase");
  }
}

}  // namespace kdyn::inline numerics
