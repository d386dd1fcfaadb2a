// SPDX-License-Identifier: Apache-2.0
// Force-displacement paths as the data doctor sees them: turning points, branches, loop width, plateaus. Used by the
// data doctor and static_history.
#pragma once

#include <cstddef>
#include <vector>

namespace kdyn::inline doctor {

// Samples where x turns back by more than `threshold`, with the first and the last sample around them: ends of the
// branches of the path.
std::vector<std::size_t> branch_ends(const std::vector<double>& x, double threshold);

// Mean of force going up minus force going down at the same displacement, over the displacements that both visit.
// Positive: energy is lost.
struct LoopWidth {
  double mean = 0.0, largest = 0.0;
  bool known = false;  // false when no displacement is visited in both directions
};
LoopWidth loop_width(const std::vector<double>& x, const std::vector<double>& force,
                     const std::vector<std::size_t>& turning);

// The first run of at least five equal samples at the highest or lowest value of `signal` while `other` moves by more
// than `movement`.
struct Plateau {
  std::size_t begin = 0, length = 0;  // length 0: none
  std::size_t runs = 0;
  bool at_top = false;
};
Plateau find_plateau(const std::vector<double>& signal, const std::vector<double>& other, double movement);

// Standard deviation of the noise on a smooth signal, from its second differences.
double noise_of(const std::vector<double>& signal);

}  // namespace kdyn::inline doctor
