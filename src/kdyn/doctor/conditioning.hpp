// SPDX-License-Identifier: Apache-2.0
// Whether a part still softened while it was measured: first cycles told apart from later ones. Filled rubber loses
// stiffness in its first cycles at a new amplitude and keeps it low (Mullins effect); a fit to such cycles describes
// neither state.
//
// Cycles are those between turning points at the largest amplitude of the path (within 5 %). Finding code:
//   conditioning   the first cycle is stiffer than the last by more than `softening`, and more than the last ones scatter
// The doctor looks at every static loop and record with it; set softening to 1 to switch it off.
#pragma once

#include <cstddef>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::inline doctor {

struct ConditioningOptions {
  double softening = 0.04;  // of the first cycle's stiffness over the last
  double repeats = 0.01;    // later cycles count as conditioned within this of the last
};

// Force range over displacement range from turning point to turning point.
struct CycleStiffness {
  std::size_t first = 0, last = 0;  // samples
  double stiffness = 0.0;
};

struct Conditioning {
  std::vector<CycleStiffness> cycles;
  bool softened = false;
  double softening = 0.0;            // first over last, minus one
  std::size_t conditioned_from = 0;  // cycle, counted from 0, from which the stiffness repeats
};

Conditioning examine_conditioning(const std::vector<double>& displacement, const std::vector<double>& force,
                                  const ConditioningOptions& options = {});

// What to say about it; `line` of the sample from which the part is conditioned, 0 when unknown.
Finding conditioning_finding(const Conditioning& found, const char* path, std::size_t line);

}  // namespace kdyn::inline doctor
