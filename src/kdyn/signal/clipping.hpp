// SPDX-License-Identifier: Apache-2.0
// Flat tops: a channel that left its measuring range.
#pragma once

#include <cstddef>
#include <span>

namespace kdyn::inline signal {

struct Clipping {
  std::size_t tops = 0;   // flat tops at the upper or lower end of the range
  std::size_t first = 0;  // sample at which the first begins
  double share = 0.0;     // of all samples
};

// A flat top is three or more equal samples at the largest or smallest value of the signal, with a step on either side
// of more than four times the resolution. Smooth peaks of a coarsely resolved signal are flat too, but their neighbours
// are a step or two below. Levels near zero (a force between two hits) do not count.
Clipping find_clipping(std::span<const double> signal);

}  // namespace kdyn::inline signal
