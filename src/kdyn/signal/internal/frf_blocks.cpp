// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/internal/frf_blocks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline signal::internal {
namespace {

std::size_t samples_of(double seconds, double rate) { return static_cast<std::size_t>(std::llround(seconds * rate)); }

// First samples at or above the level after one below it.
std::vector<std::size_t> crossings(std::span<const double> force, double level) {
  std::vector<std::size_t> out;
  for (std::size_t i = 1; i < force.size(); ++i)
    if (std::abs(force[i]) >= level && std::abs(force[i - 1]) < level) out.push_back(i);
  return out;
}

// Crossings that begin a hit: those after a gap of at least half the longest one. A rebound follows within a fraction
// of that.
std::vector<std::size_t> hits_of(const std::vector<std::size_t>& crossing, std::size_t samples, std::size_t block) {
  std::vector<std::size_t> hits;
  std::size_t longest = 0;
  for (std::size_t i = 1; i < crossing.size(); ++i) longest = std::max(longest, crossing[i] - crossing[i - 1]);
  const std::size_t gap = block > 0 ? block : std::max(longest / 2, samples / 50);
  for (const std::size_t at : crossing)
    if (hits.empty() || at - hits.back() >= gap) hits.push_back(at);
  return hits;
}

bool clipped(std::span<const double> force, double peak) {
  int run = 0;
  for (const double f : force) {
    run = std::abs(f) >= peak * (1.0 - 1e-12) ? run + 1 : 0;
    if (run >= 3) return true;
  }
  return false;
}

}  // namespace

Blocks hammer_blocks(std::span<const double> force, double rate, const FrfOptions& options, const std::string& where) {
  double largest = 0.0;
  for (const double f : force) largest = std::max(largest, std::abs(f));
  if (!(largest > 0.0))
    throw_bad_input(where, "the force signal is zero", "check the force channel, or name it with inputs");
  const std::size_t wanted = samples_of(options.block_s, rate);
  const std::vector<std::size_t> hits =
      hits_of(crossings(force, options.trigger_level * largest), force.size(), wanted);
  if (hits.empty())
    throw_bad_input(where, "no hit rises through the trigger level", "lower trigger_level, or give another excitation");
  Blocks out;
  std::size_t shortest = force.size() - hits.back();
  for (std::size_t i = 1; i < hits.size(); ++i) shortest = std::min(shortest, hits[i] - hits[i - 1]);
  out.length = wanted > 0 ? wanted : shortest - shortest / 50;
  out.pre_trigger = std::max<std::size_t>(
      2, options.pre_trigger_s > 0.0 ? samples_of(options.pre_trigger_s, rate) : out.length / 100);
  if (out.length < 16 + out.pre_trigger)
    throw_bad_input(where, fmt::format("a block of {} samples is too short", out.length), "give a longer block_s");
  std::size_t pulse = 0;
  for (const std::size_t hit : hits) {
    if (hit < out.pre_trigger || hit - out.pre_trigger + out.length > force.size()) continue;
    const std::size_t start = hit - out.pre_trigger;
    const auto block = force.subspan(start, out.length);
    BlockInfo info;
    info.start_s = static_cast<double>(start) / rate;
    std::size_t top = out.pre_trigger;
    // The pulse is the first excursion: up to where the force has come down to 2 % of its peak.
    for (std::size_t i = out.pre_trigger; i < block.size(); ++i) {
      if (std::abs(block[i]) > std::abs(block[top])) top = i;
      if (i > top && std::abs(block[i]) < 0.02 * std::abs(block[top])) break;
    }
    info.peak = std::abs(block[top]);
    std::size_t end = top;
    while (end + 1 < block.size() && std::abs(block[end]) >= 0.02 * info.peak) ++end;
    for (std::size_t i = end; i < block.size(); ++i)
      info.second_peak = std::max(info.second_peak, std::abs(block[i]) / info.peak);
    if (clipped(block, info.peak)) {
      info.used = false;
      info.reason = "the force is clipped";
    } else if (info.second_peak > options.double_hit_level && !options.keep_double_hits) {
      info.used = false;
      info.reason = fmt::format("double hit: a second peak of {:.0f} % of the first", 100.0 * info.second_peak);
    }
    pulse = std::max(pulse, end);
    out.start.push_back(start);
    out.segment.push_back(0);
    out.info.push_back(info);
  }
  const std::size_t given = out.pre_trigger + samples_of(options.force_window_s, rate);
  out.force_hold = std::min(
      out.length, options.force_window_s > 0.0 ? given : pulse + std::max<std::size_t>(8, pulse - out.pre_trigger));
  if (out.start.empty()) throw_bad_input(where, "no hit has a whole block behind it", "give a shorter block_s");
  return out;
}

Blocks running_blocks(std::size_t samples, double rate, const FrfOptions& options, const std::string& where) {
  Blocks out;
  out.length = std::max<std::size_t>(16, samples_of(options.block_s > 0.0 ? options.block_s : 1.0, rate));
  const bool steady =
      options.excitation == ModalExcitation::periodic || options.excitation == ModalExcitation::multisine;
  const auto advance = options.excitation == ModalExcitation::random
                           ? std::max<std::size_t>(
                                 1, static_cast<std::size_t>(static_cast<double>(out.length) * (1.0 - options.overlap)))
                           : out.length;
  const std::size_t step = options.excitation == ModalExcitation::multisine && options.step_s > 0.0
                               ? samples_of(options.step_s, rate)
                               : samples;
  std::size_t settle = samples_of(options.settle_s, rate);
  // A periodic response needs some time to become periodic: one period is left out when there are enough of them.
  if (steady && settle == 0 && std::min(step, samples) >= 4 * out.length) settle = out.length;
  int segment = 0;
  for (std::size_t begin = 0; begin + out.length <= samples && step > 0; begin += step, ++segment)
    for (std::size_t at = begin + settle; at + out.length <= std::min(begin + step, samples); at += advance) {
      out.start.push_back(at);
      out.segment.push_back(segment);
      out.info.push_back({static_cast<double>(at) / rate, 0.0, 0.0, true, ""});
    }
  if (out.start.empty())
    throw_bad_input(where,
                    fmt::format("{:.4g} s of signal hold no block of {:.4g} s", static_cast<double>(samples) / rate,
                                static_cast<double>(out.length) / rate),
                    "give a shorter block_s, or a shorter settle_s");
  return out;
}

}  // namespace kdyn::inline signal::internal
