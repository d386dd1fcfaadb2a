// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/channel_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kdyn/signal/clipping.hpp"

namespace kdyn::inline signal {
namespace {

struct Spikes {
  std::size_t count = 0, first = 0;
  double times = 0.0;  // how far the least of them stands out, over the rest
};

// The signal without its farthest samples is three times narrower, and these do not stand beside each other: a blow of
// a hammer, however short, has flanks.
Spikes find_spikes(const std::vector<double>& x) {
  const std::size_t most = std::max<std::size_t>(3, x.size() / 1000);
  std::vector<double> sorted = x;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double median = *middle;
  std::vector<std::size_t> order(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) order[i] = i;
  const auto away = [&](std::size_t i) { return std::abs(x[i] - median); };
  const std::size_t looked_at = std::min(most + 1, x.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(looked_at), order.end(),
                    [&](std::size_t a, std::size_t b) { return away(a) > away(b); });
  for (std::size_t count = looked_at - 1; count > 0; --count) {
    const double least = away(order[count - 1]), rest = away(order[count]);
    if (!(rest > 0.0) || least <= 3.0 * rest) continue;
    const bool alone = std::all_of(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
        [&](std::size_t i) { return (i == 0 || away(i - 1) <= rest) && (i + 1 == x.size() || away(i + 1) <= rest); });
    if (!alone) return {};
    return {count, *std::min_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)), least / rest};
  }
  return {};
}

// Single samples that jump out of a smooth signal, however many and however far: each has the pattern of one wrong value
// in its second differences (half of it with the other sign on both sides) and stands far above those around it.
Spikes find_lone_samples(const std::vector<double>& x) {
  constexpr std::size_t around = 16, least = 3;
  constexpr double times_all = 8.0, times_here = 15.0;
  if (x.size() < 4 * around) return {};
  std::vector<double> d(x.size(), 0.0);
  for (std::size_t i = 1; i + 1 < x.size(); ++i) d[i] = x[i] - 0.5 * (x[i - 1] + x[i + 1]);
  std::vector<double> size(d.size());
  std::transform(d.begin(), d.end(), size.begin(), [](double v) { return std::abs(v); });
  // Each wrong sample spoils three differences; four of five are taken as good.
  const auto at = size.begin() + static_cast<std::ptrdiff_t>(size.size() * 4 / 5);
  std::nth_element(size.begin(), at, size.end());
  const double usual = *at;
  if (!(usual > 0.0)) return {};
  Spikes out;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t i = 2; i + 2 < d.size(); ++i) {
    const double jump = std::abs(d[i]);
    if (!(jump > times_all * usual) || std::abs(d[i - 1] + 0.5 * d[i]) > 0.2 * jump ||
        std::abs(d[i + 1] + 0.5 * d[i]) > 0.2 * jump)
      continue;
    std::vector<double> near;
    for (std::size_t k = i > around ? i - around : 0; k < std::min(d.size(), i + around + 1); ++k)
      if (k + 1 < i || k > i + 1) near.push_back(std::abs(d[k]));
    const auto middle = near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2);
    std::nth_element(near.begin(), middle, near.end());
    if (!(jump > times_here * *middle)) continue;
    if (out.count++ == 0) out.first = i;
    lowest = std::min(lowest, d[i]), highest = std::max(highest, d[i]);
  }
  // Pulses of one height are what a trigger or a tacho gives.
  const bool pulses = (lowest > 0.0 && highest < 1.3 * lowest) || (highest < 0.0 && lowest > 1.3 * highest);
  return out.count < least || pulses ? Spikes{} : out;
}

struct Hang {
  std::size_t length = 0, first = 0;
};

Hang find_hang(const std::vector<double>& x) {
  constexpr std::size_t shortest = 50;
  Hang longest;
  std::size_t equal = 0, begin = 0;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    if (i < x.size() && x[i] == x[i - 1]) {
      ++equal;
      continue;
    }
    // Rest before and after a test is no fault.
    if (begin > 0 && i < x.size() && i - begin > longest.length) longest = {i - begin, begin};
    begin = i;
  }
  if (longest.length < shortest) return {};
  // Coarse digits and signals that rest now and then have equal neighbours elsewhere, too.
  const std::size_t elsewhere = equal - (longest.length - 1);
  return 100 * elsewhere < x.size() - longest.length ? longest : Hang{};
}

}  // namespace

std::vector<Finding> check_channel(std::span<const double> values, double start_s, double step_s,
                                   const std::string& name, const std::string& where) {
  std::vector<Finding> out;
  std::vector<double> x;
  for (const double value : values)
    if (std::isfinite(value)) x.push_back(value);
  if (x.size() < 16) return out;
  // Where samples are missing the count of those that are there tells the time well enough.
  const auto at = [&](std::size_t i) { return start_s + static_cast<double>(i) * step_s; };
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (*low == *high) {
    out.push_back({Severity::warning, "dead_channel", where,
                   fmt::format("channel {} is {:.6g} from beginning to end: it measures nothing", name, *low),
                   "check sensor, cable and range, or leave the channel out"});
    return out;
  }
  if (const Clipping found = find_clipping(x); found.tops >= 2)
    out.push_back({Severity::serious, "clipped", where,
                   fmt::format("channel {} left its measuring range: {} flat tops, the first at {:.4g} s, {:.2g} % of "
                               "its samples",
                               name, found.tops, at(found.first), 100.0 * found.share),
                   "choose a larger range and measure again; its peaks are too small"});
  if (const Spikes found = find_spikes(x); found.count > 0)
    out.push_back(
        {Severity::warning, "spikes", where,
         fmt::format("channel {}: {} single {} out {:.2g} times as far as all others, the first at {:.6g} s", name,
                     found.count, found.count == 1 ? "sample stands" : "samples stand", found.times, at(found.first)),
         "look at the record there; a loose contact or a lost bit: cut it out or interpolate across"});
  else if (const Spikes lone = find_lone_samples(x); lone.count > 0)
    out.push_back({Severity::warning, "spikes", where,
                   fmt::format("channel {}: {} single samples jump out of a signal that is smooth beside them, the "
                               "first at {:.6g} s",
                               name, lone.count, at(lone.first)),
                   "a loose contact or lost bits: mend the cable and measure again, or interpolate across"});
  if (const Hang found = find_hang(x); found.length > 0)
    out.push_back({Severity::warning, "channel_hangs", where,
                   fmt::format("channel {} stands still for {} samples from {:.6g} s on, amid a signal that moves",
                               name, found.length, at(found.first)),
                   "the recorder lost samples, or the sensor hung: leave this part out"});
  return out;
}

std::vector<Finding> check_channels(const SignalSet& set, const std::string& where) {
  std::vector<Finding> out;
  for (const Signal& s : set.signals) {
    double start = s.start_s, step = s.step_s;
    if (step == 0.0 && set.time.size() > 1)
      start = set.time.front(), step = (set.time.back() - start) / static_cast<double>(set.time.size() - 1);
    const std::vector<Finding> found =
        check_channel(s.values, start, step, s.name.empty() ? label(s.dof) : s.name, where);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace kdyn::inline signal
