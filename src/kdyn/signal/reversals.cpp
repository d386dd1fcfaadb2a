// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/reversals.hpp"

namespace kdyn::inline signal {

Reversals find_reversals(std::span<const double> x, double threshold) {
  Reversals out;
  std::size_t high = 0, low = 0;
  int direction = 0;  // not known before the signal has moved by more than the threshold
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (x[i] > x[high]) high = i;
    if (x[i] < x[low]) low = i;
    if (direction >= 0 && x[high] - x[i] > threshold) {
      out.at.push_back(high);
      direction = -1, low = high = i;
    } else if (direction <= 0 && x[i] - x[low] > threshold) {
      out.at.push_back(low);
      direction = 1, low = high = i;
    }
  }
  out.open = direction > 0 ? high : direction < 0 ? low : 0;
  return out;
}

}  // namespace kdyn::inline signal
