// SPDX-License-Identifier: Apache-2.0
// Times without a unit: whole numbers are more often milliseconds or a counter than seconds.
#pragma once

#include <cmath>
#include <vector>

namespace kdyn::inline io::internal {

// Three or more whole numbers, each larger than the one before; gaps do not count.
inline bool whole_steps(const std::vector<double>& values) {
  std::size_t count = 0;
  double last = 0.0;
  for (const double v : values) {
    if (std::isnan(v)) continue;
    if (v != std::floor(v) || (count > 0 && !(v > last))) return false;
    last = v;
    ++count;
  }
  return count >= 3;
}

}  // namespace kdyn::inline io::internal
