// SPDX-License-Identifier: Apache-2.0
#include "kdyn/assess/durability.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline assess {

double pseudo_damage(const std::vector<Cycle>& cycles, double exponent) {
  double sum = 0.0;
  for (const Cycle& c : cycles) sum += c.count * std::pow(0.5 * c.range, exponent);  // [assess E7]
  return sum;
}

Durability assess_durability(std::span<const double> load, const std::vector<double>& exponents,
                             double equivalent_cycles, double gate, int levels) {
  Durability out;
  out.exponents = exponents;
  out.equivalent_cycles = equivalent_cycles;
  if (load.empty()) return out;
  const auto [low, high] = std::minmax_element(load.begin(), load.end());
  out.lowest = *low, out.highest = *high;
  for (const double x : load) out.mean += x / static_cast<double>(load.size());
  for (const double x : load) out.rms += (x - out.mean) * (x - out.mean) / static_cast<double>(load.size());
  out.rms = std::sqrt(out.rms);
  const std::vector<double> points = turning_points(load, gate * (*high - *low));
  out.rainflow_cycles = rainflow(points);
  out.pair_cycles = range_pairs(points);
  for (const Cycle& c : out.rainflow_cycles) out.cycles += c.count;
  for (const double k : exponents) {
    out.damage.push_back(pseudo_damage(out.rainflow_cycles, k));
    out.equivalent.push_back(std::pow(out.damage.back() / equivalent_cycles, 1.0 / k));  // [assess E8]
  }
  out.crossings = level_crossings(load, even_levels(load, levels), out.mean);
  return out;
}

}  // namespace kdyn::inline assess
