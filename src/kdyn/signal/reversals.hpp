// SPDX-License-Identifier: Apache-2.0
// Where a signal turns back: the one search behind the counting of cycles, the branches of a static loop and the sines
// of a bench record.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kdyn::inline signal {

struct Reversals {
  // Peaks and valleys in turn, as indices; the first is the extreme that the signal leaves first, often sample 0. A
  // reversal counts once the way back exceeds the threshold.
  std::vector<std::size_t> at;
  // Furthest sample since the last of them, from which the signal has not come back by more than the threshold.
  std::size_t open = 0;
};

// Reversals of `threshold` and less are ignored; 0 counts every one. Of equal samples the first is the extreme.
Reversals find_reversals(std::span<const double> signal, double threshold);

}  // namespace kdyn::inline signal
