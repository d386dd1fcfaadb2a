// SPDX-License-Identifier: Apache-2.0
// Durability of one load signal: counts and pseudo-damage.
//
//   [assess E7] D = sum_i n_i (range_i/2)^k     pseudo-damage of rainflow cycles with Woehler exponent k, no endurance limit, unit^k
//   [assess E8] amplitude of a sine that does the same damage in N cycles: (D/N)^(1/k)
// Only ratios of D mean something: of two records, of measurement and simulation. Exponents: 3 welds, 5 steel parts, 7
// and up smooth parts, rubber 3-6.
#pragma once

#include <span>
#include <vector>

#include "kdyn/signal/cycles.hpp"

namespace kdyn::inline assess {

struct Durability {
  double lowest = 0.0, highest = 0.0, mean = 0.0, rms = 0.0;
  double cycles = 0.0;                    // rainflow, counted with their halves
  std::vector<double> exponents, damage;  // [assess E7]
  std::vector<double> equivalent;         // amplitude for `equivalent_cycles` [assess E8]
  double equivalent_cycles = 1e6;
  std::vector<Cycle> rainflow_cycles, pair_cycles;
  LevelCrossings crossings;
};

// Reversals below `gate` (share of the range of the signal) are left out of the counts: they are noise and do no
// damage.
Durability assess_durability(std::span<const double> load, const std::vector<double>& exponents,
                             double equivalent_cycles = 1e6, double gate = 0.0, int levels = 64);

double pseudo_damage(const std::vector<Cycle>& cycles, double exponent);

}  // namespace kdyn::inline assess
