// SPDX-License-Identifier: Apache-2.0
#include "kdyn/report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kdyn::report {
namespace {

bool is_monotone(const std::vector<double>& x) {
  const auto finite_falls = [](double a, double b) { return b < a; };
  const auto finite_rises = [](double a, double b) { return b > a; };
  return std::adjacent_find(x.begin(), x.end(), finite_falls) == x.end() || std::adjacent_find(x.begin(), x.end(), finite_rises) == x.end();
}

void keep_extremes(const std::vector<double>& channel, std::size_t begin, std::size_t end, std::vector<std::size_t>& kept) {
  std::size_t least = end, greatest = end;
  for (std::size_t i = begin; i < end; ++i) {
    if (!std::isfinite(channel[i])) continue;
    if (least == end || channel[i] < channel[least]) least = i;
    if (greatest == end || channel[i] > channel[greatest]) greatest = i;
  }
  if (least == end) return;
  kept.push_back(least);
  kept.push_back(greatest);
}

}  // namespace

std::vector<std::size_t> decimate(const Series& series, std::size_t limit) {
  const std::size_t count = series.y.size();
  std::vector<std::size_t> kept;
  if (count <= limit) {
    kept.resize(count);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  std::vector<const std::vector<double>*> channels{&series.y};
  if (!is_monotone(series.x)) channels.push_back(&series.x);
  if (!series.lower.empty()) channels.push_back(&series.lower);
  if (!series.upper.empty()) channels.push_back(&series.upper);

  const std::size_t ends = 2;
  const std::size_t runs = std::max<std::size_t>(1, (limit - std::min(limit, ends)) / (2 * channels.size()));
  kept = {0, count - 1};
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t begin = run * count / runs, end = (run + 1) * count / runs;
    for (const auto* channel : channels) keep_extremes(*channel, begin, end, kept);
    for (std::size_t i = begin; i < end; ++i)
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) {
        kept.push_back(i);
        break;
      }
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

}  // namespace kdyn::report
