// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/levels.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline numerics {

std::vector<double> levels_of(std::vector<double> values, double spread) {
  std::sort(values.begin(), values.end());
  std::vector<double> levels;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= values.size(); ++i)
    if (i == values.size() || std::abs(values[i] - values[i - 1]) > spread * std::abs(values[i - 1])) {
      levels.push_back(values[start + (i - start) / 2]);
      start = i;
    }
  return levels;
}

std::size_t nearest_level(const std::vector<double>& levels, double value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < levels.size(); ++i)
    if (std::abs(levels[i] - value) < std::abs(levels[best] - value)) best = i;
  return best;
}

}  // namespace kdyn::inline numerics
