// SPDX-License-Identifier: Apache-2.0
#include "kdyn/report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kdyn::report {
namespace {

using Channel = std::span<const double>;

bool is_monotone(Channel x) {
  const auto finite_falls = [](double a, double b) { return b < a; };
  const auto finite_rises = [](double a, double b) { return b > a; };
  return std::adjacent_find(x.begin(), x.end(), finite_falls) == x.end() ||
         std::adjacent_find(x.begin(), x.end(), finite_rises) == x.end();
}

void keep_extremes(Channel channel, std::size_t begin, std::size_t end, std::vector<std::size_t>& kept) {
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

// The first channel is y.
std::vector<std::size_t> decimate(Channel x, std::vector<Channel> channels, std::size_t limit) {
  const Channel y = channels.front();
  const std::size_t count = y.size();
  std::vector<std::size_t> kept;
  if (count <= limit) {
    kept.resize(count);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  if (!is_monotone(x)) channels.push_back(x);
  const std::size_t ends = 2;
  const std::size_t runs = std::max<std::size_t>(1, (limit - std::min(limit, ends)) / (2 * channels.size()));
  kept = {0, count - 1};
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t begin = run * count / runs, end = (run + 1) * count / runs;
    for (const Channel channel : channels) keep_extremes(channel, begin, end, kept);
    for (std::size_t i = begin; i < end; ++i)
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
        kept.push_back(i);
        break;
      }
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

}  // namespace

std::vector<std::size_t> decimate(const Series& series, std::size_t limit) {
  std::vector<Channel> channels{series.y};
  if (!series.lower.empty()) channels.emplace_back(series.lower);
  if (!series.upper.empty()) channels.emplace_back(series.upper);
  return decimate(series.x, std::move(channels), limit);
}

std::vector<std::size_t> decimate(Channel x, Channel y, std::size_t limit) {
  return decimate(x, std::vector<Channel>{y}, limit);
}

}  // namespace kdyn::report
