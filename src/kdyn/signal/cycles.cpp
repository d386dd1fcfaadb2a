// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/cycles.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/signal/reversals.hpp"

namespace kdyn::inline signal {

std::vector<double> turning_points(std::span<const double> signal, double threshold) {
  if (signal.empty()) return {};
  std::vector<double> points = {signal.front()};
  const Reversals reversals = find_reversals(signal, threshold);
  for (const std::size_t i : reversals.at)
    if (points.size() > 1 || std::abs(signal[i] - points.front()) > threshold) points.push_back(signal[i]);
  if (!reversals.at.empty()) points.push_back(signal[reversals.open]);
  return points;
}

namespace {

Cycle cycle_of(double a, double b, double count) { return {std::abs(a - b), 0.5 * (a + b), count}; }

}  // namespace

std::vector<Cycle> rainflow(const std::vector<double>& points) {
  std::vector<Cycle> cycles;
  std::vector<double> stack;
  std::size_t start = 0;  // of what is left of the history: points before it have gone as half cycles
  for (const double point : points) {
    stack.push_back(point);
    while (stack.size() - start >= 3) {  // [signal E22]
      const std::size_t last = stack.size() - 1;
      const double X = std::abs(stack[last] - stack[last - 1]), Y = std::abs(stack[last - 1] - stack[last - 2]);
      if (X < Y) break;
      if (last - 2 == start) {
        cycles.push_back(cycle_of(stack[start], stack[start + 1], 0.5));
        ++start;
      } else {
        cycles.push_back(cycle_of(stack[last - 2], stack[last - 1], 1.0));
        stack[last - 2] = stack[last];
        stack.resize(last - 1);
      }
    }
  }
  for (std::size_t i = start; i + 1 < stack.size(); ++i) cycles.push_back(cycle_of(stack[i], stack[i + 1], 0.5));
  return cycles;
}

std::vector<Cycle> range_pairs(const std::vector<double>& points) {
  std::vector<Cycle> cycles;
  // [signal E23] Forwards, then what remains backwards; a single range left over is not a pair.
  const auto pass = [&](auto begin, auto end) {
    std::vector<double> stack;
    for (auto it = begin; it != end; ++it) {
      stack.push_back(*it);
      while (stack.size() >= 3) {
        const std::size_t last = stack.size() - 1;
        const double X = std::abs(stack[last] - stack[last - 1]), Y = std::abs(stack[last - 1] - stack[last - 2]);
        if (X < Y) break;
        cycles.push_back(cycle_of(stack[last - 2], stack[last - 1], 1.0));
        stack[last - 2] = stack[last];
        stack.resize(last - 1);
      }
    }
    return stack;
  };
  const std::vector<double> rest = pass(points.begin(), points.end());
  pass(rest.rbegin(), rest.rend());
  return cycles;
}

RangeSpectrum cumulative_ranges(const std::vector<Cycle>& cycles) {
  std::vector<Cycle> sorted = cycles;
  std::sort(sorted.begin(), sorted.end(), [](const Cycle& a, const Cycle& b) { return a.range > b.range; });
  RangeSpectrum out;
  double sum = 0.0;
  for (const Cycle& c : sorted) {
    if (c.range <= 0.0) break;
    sum += c.count;
    out.range.push_back(c.range);
    out.cumulative.push_back(sum);
  }
  return out;
}

LevelCrossings level_crossings(std::span<const double> signal, const std::vector<double>& levels, double reference) {
  LevelCrossings out{levels, std::vector<double>(levels.size(), 0.0)};
  demand(std::is_sorted(levels.begin(), levels.end()), "levels rise");
  for (std::size_t i = 1; i < signal.size(); ++i) {  // [signal E24]
    const double low = std::min(signal[i - 1], signal[i]), high = std::max(signal[i - 1], signal[i]);
    const bool upward = signal[i] > signal[i - 1];
    // Upward: low < level <= high. Downward: low <= level < high.
    auto first = upward ? std::upper_bound(levels.begin(), levels.end(), low)
                        : std::lower_bound(levels.begin(), levels.end(), low);
    for (; first != levels.end() && (upward ? *first <= high : *first < high); ++first)
      if (upward == (*first >= reference)) out.count[static_cast<std::size_t>(first - levels.begin())] += 1.0;
  }
  return out;
}

std::vector<double> even_levels(std::span<const double> signal, int count) {
  if (signal.empty() || count < 1) return {};
  const auto [low, high] = std::minmax_element(signal.begin(), signal.end());
  std::vector<double> levels;
  if (!(*high > *low)) return levels;
  for (int i = 0; i < count; ++i) levels.push_back(*low + (*high - *low) * (i + 0.5) / count);
  return levels;
}

}  // namespace kdyn::inline signal
