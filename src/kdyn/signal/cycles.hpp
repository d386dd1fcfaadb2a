// SPDX-License-Identifier: Apache-2.0
// Counting of load cycles after ASTM E1049-85: turning points, rainflow, range pairs, level crossings.
//
//   [signal E22] rainflow, section 5.4.4: of three neighbouring turning points, Y is the range before the last range X. X >= Y: Y is a cycle and
//                leaves the history, or half a cycle when it holds the starting point. What remains at the end counts as half cycles.
//   [signal E23] range pairs, section 5.4.3: as above, but Y is always counted whole; what remains is counted backwards from the end.
//   [signal E24] level crossings, section 5.1: upward crossings of levels at or above the reference, downward ones below it.
// A count holds exact ranges; bins are only for pictures, so that damage of a scaled signal scales exactly.
#pragma once

#include <span>
#include <vector>

namespace kdyn::inline signal {

// Peaks and valleys from the first sample to the last extreme; equal neighbours are one point. Reversals of `threshold`
// and less are ignored.
std::vector<double> turning_points(std::span<const double> signal, double threshold = 0.0);

struct Cycle {
  double range = 0.0, mean = 0.0;
  double count = 1.0;  // 1 or 0.5
};
std::vector<Cycle> rainflow(const std::vector<double>& turning_points);
std::vector<Cycle> range_pairs(const std::vector<double>& turning_points);

// Exceedances of ranges: pairs (range, cycles with at least this range), falling count, for a staircase plot.
struct RangeSpectrum {
  std::vector<double> range, cumulative;
};
RangeSpectrum cumulative_ranges(const std::vector<Cycle>& cycles);

struct LevelCrossings {
  std::vector<double> level, count;
};
LevelCrossings level_crossings(std::span<const double> signal, const std::vector<double>& levels, double reference);
// `count` levels evenly over the range of the signal, none of them on an extreme.
std::vector<double> even_levels(std::span<const double> signal, int count);

}  // namespace kdyn::inline signal
