// SPDX-License-Identifier: Apache-2.0
// Thins long series for drawing. The points are cut into runs of equal count; from each run stay the points where a
// channel (y, bounds of the band, and x when it is not monotone, as in a loop) is least and greatest, and the first gap
// (non-finite point). First and last point stay too. Thus no peak is lost and order is kept; what is lost is detail
// between two extremes of a run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kdyn/report/document.hpp"

namespace kdyn::report {

// Increasing indices of the points that stay: all when there are no more than `limit`. Gaps may add one point for each
// run.
std::vector<std::size_t> decimate(const Series& series, std::size_t limit = max_points_per_series);
// The same for a part of a long record, without a copy of it.
std::vector<std::size_t> decimate(std::span<const double> x, std::span<const double> y, std::size_t limit);

}  // namespace kdyn::report
