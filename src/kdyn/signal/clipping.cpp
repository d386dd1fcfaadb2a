// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/clipping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kdyn::inline signal {

Clipping find_clipping(std::span<const double> signal) {
  Clipping out;
  if (signal.size() < 8) return out;
  const auto [low, high] = std::minmax_element(signal.begin(), signal.end());
  const double largest = std::max(std::abs(*low), std::abs(*high));
  if (!(largest > 0.0) || *low == *high) return out;
  double resolution = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < signal.size(); ++i)
    if (signal[i] != signal[i - 1]) resolution = std::min(resolution, std::abs(signal[i] - signal[i - 1]));
  resolution = std::max(resolution, 1e-12 * largest);
  for (const double level : {*low, *high}) {
    if (std::abs(level) < 0.2 * largest) continue;
    const auto is_at = [&](std::size_t i) { return std::abs(signal[i] - level) <= 1e-12 * largest; };
    for (std::size_t begin = 0; begin < signal.size();) {
      std::size_t end = begin;
      while (end < signal.size() && is_at(end)) ++end;
      // The ends of the record have one neighbour only.
      const bool steep = (begin == 0 || std::abs(signal[begin - 1] - level) > 4.0 * resolution) &&
                         (end == signal.size() || std::abs(signal[end] - level) > 4.0 * resolution);
      if (end - begin >= 3 && steep) {
        if (out.tops == 0 || begin < out.first) out.first = begin;
        ++out.tops;
        out.share += static_cast<double>(end - begin) / static_cast<double>(signal.size());
      }
      begin = std::max(end, begin + 1);
    }
  }
  return out;
}

}  // namespace kdyn::inline signal
