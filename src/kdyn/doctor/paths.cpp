// SPDX-License-Identifier: Apache-2.0
#include "kdyn/doctor/paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kdyn/doctor/tools.hpp"
#include "kdyn/signal/reversals.hpp"

namespace kdyn::inline doctor {

std::vector<std::size_t> branch_ends(const std::vector<double>& x, double threshold) {
  if (x.empty()) return {};
  std::vector<std::size_t> ends = find_reversals(x, threshold).at;
  ends.insert(ends.begin(), 0);
  ends.push_back(x.size() - 1);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

LoopWidth loop_width(const std::vector<double>& x, const std::vector<double>& force,
                     const std::vector<std::size_t>& turning) {
  constexpr std::size_t bins = 40;
  struct Mean {
    double sum = 0.0;
    std::size_t count = 0;
  };
  std::array<Mean, bins> up{}, down{};
  const Range range = range_of(x);
  // The force is measured from a straight line, so that samples on either side of a bin's middle do not count as width.
  const double slope = trend(x, force).slope;
  for (std::size_t b = 0; b + 1 < turning.size(); ++b) {
    auto& branch = x[turning[b + 1]] > x[turning[b]] ? up : down;
    for (std::size_t i = turning[b]; i < turning[b + 1]; ++i) {
      const auto bin = static_cast<std::size_t>((x[i] - range.low) / range.width() * static_cast<double>(bins));
      Mean& mean = branch[std::min(bin, bins - 1)];
      mean.sum += force[i] - slope * x[i], ++mean.count;
    }
  }
  LoopWidth width;
  std::size_t both = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    if (up[i].count == 0 || down[i].count == 0) continue;
    const double difference =
        up[i].sum / static_cast<double>(up[i].count) - down[i].sum / static_cast<double>(down[i].count);
    width.mean += difference, ++both;
    width.largest = std::max(width.largest, std::abs(difference));
  }
  width.known = 4 * both >= bins;
  if (both > 0) width.mean /= static_cast<double>(both);
  return width;
}

Plateau find_plateau(const std::vector<double>& signal, const std::vector<double>& other, double movement) {
  constexpr std::size_t shortest = 5;
  const Range range = range_of(signal);
  Plateau plateau;
  for (std::size_t i = 0; i < signal.size();) {
    std::size_t end = i + 1;
    while (end < signal.size() && signal[end] == signal[i]) ++end;
    const bool extreme = signal[i] == range.high || signal[i] == range.low;
    if (extreme && end - i >= shortest) {
      const auto [low, high] = std::minmax_element(other.begin() + static_cast<std::ptrdiff_t>(i),
                                                   other.begin() + static_cast<std::ptrdiff_t>(end));
      if (*high - *low > movement) {
        if (plateau.runs++ == 0) plateau.begin = i, plateau.at_top = signal[i] == range.high;
        plateau.length += end - i;
      }
    }
    i = end;
  }
  return plateau;
}

double noise_of(const std::vector<double>& signal) {
  std::vector<double> second;
  for (std::size_t i = 1; i + 1 < signal.size(); ++i) second.push_back(signal[i - 1] - 2.0 * signal[i] + signal[i + 1]);
  return spread(second) / std::sqrt(6.0);  // variance of the second difference of white noise: 1 + 4 + 1
}

}  // namespace kdyn::inline doctor
