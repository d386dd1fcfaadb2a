// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/static_history.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/doctor/paths.hpp"
#include "kdyn/doctor/tools.hpp"
#include "kdyn/numerics/meet.hpp"

namespace kdyn::inline identify {
namespace {

// A law whose damper is exact for any step walks so slowly that the damper does not show; others at 10 mm/min, as
// benches do.
double rate_for(const Mount& mount) { return mount.model() == "elastomer" ? 1e-9 : 1.0 / 6000.0; }

struct Stroke {
  double low, high;
  explicit Stroke(const std::vector<double>& u)
      : low(*std::min_element(u.begin(), u.end())),
        high(*std::max_element(u.begin(), u.end())) {}
};

}  // namespace

std::string to_words(const LoopHistory& history, double rest, AxisKind axis) {
  if (history.passes == 0) return "a curve without hysteresis: compared with the static part alone";
  const bool turning = axis == AxisKind::rotation;
  const std::string where = turning ? fmt::format("{:.4g} rad", rest) : fmt::format("{:.4g} mm", 1e3 * rest);
  const char* before = history.passes > 1 ? "cycled along the same path before the record"
                                          : "the record is its first way along the path";
  switch (history.rest) {
    case RestPoint::preload:
      return fmt::format("the part rested at its preload {:g} {} ({}); {}", history.preload, turning ? "N*m" : "N",
                         where, before);
    case RestPoint::zero: return fmt::format("the part rested at zero displacement; {}", before);
    case RestPoint::middle: return fmt::format("the part rested in the middle of the stroke ({}); {}", where, before);
    default: return fmt::format("the part rested where the record begins ({}); {}", where, before);
  }
}

double rest_displacement(const LoopHistory& history, const StaticLoop& loop, double at_preload) {
  const Stroke stroke(loop.displacement);
  switch (history.rest) {
    case RestPoint::zero: return 0.0;
    case RestPoint::middle: return 0.5 * (stroke.low + stroke.high);
    case RestPoint::preload: return at_preload;
    default: return loop.displacement.front();
  }
}

bool shows_hysteresis(const StaticLoop& loop) {
  const Stroke stroke(loop.displacement), force(loop.force);
  const std::vector<std::size_t> turning = branch_ends(loop.displacement, 0.05 * (stroke.high - stroke.low));
  if (turning.size() < 3) return false;
  const doctor::LoopWidth width = doctor::loop_width(loop.displacement, loop.force, turning);
  const auto n = static_cast<double>(loop.force.size());
  return width.known && std::abs(width.mean) > std::max(1e-3 * (force.high - force.low),
                                                        6.0 * doctor::noise_of(loop.force) / std::sqrt(n));
}

std::vector<LoopHistory> possible_histories(const StaticLoop& loop, const std::vector<double>& preloads,
                                            const std::vector<double>& at_preload) {
  if (!shows_hysteresis(loop)) return {{RestPoint::first_sample, 0.0, 0}};
  const Stroke stroke(loop.displacement);
  const double near = 0.01 * (stroke.high - stroke.low);
  std::vector<LoopHistory> rests;
  std::vector<double> places;
  const auto add = [&](RestPoint rest, double preload, double u) {
    if (!std::isfinite(u) || u < stroke.low - near || u > stroke.high + near) return;
    if (std::any_of(places.begin(), places.end(), [&](double other) { return std::abs(u - other) < near; })) return;
    places.push_back(u);
    rests.push_back({rest, preload, 2});
  };
  add(RestPoint::first_sample, 0.0, loop.displacement.front());
  add(RestPoint::zero, 0.0, 0.0);
  for (std::size_t i = 0; i < preloads.size() && i < 4; ++i) add(RestPoint::preload, preloads[i], at_preload[i]);
  add(RestPoint::middle, 0.0, 0.5 * (stroke.low + stroke.high));
  std::vector<LoopHistory> all = rests;
  for (LoopHistory one : rests) {
    one.passes = 1;
    all.push_back(one);
  }
  return all;
}

StaticComparison compare_static(const Mount& mount, const StaticLoop& loop, const LoopHistory& history) {
  StaticComparison out;
  out.history = history;
  out.rest = rest_displacement(history, loop,
                               history.rest == RestPoint::preload ? mount.static_displacement(history.preload) : 0.0);
  if (history.passes == 0)
    for (const double u : loop.displacement) out.force.push_back(mount.static_force(u));
  else
    out.force = static_path_force(mount, loop.displacement, {out.rest, history.passes}, rate_for(mount));
  out.rms = meet(out.force, loop.force).rms;
  return out;
}

StaticComparison compare_static(const Mount& mount, const StaticLoop& loop, const std::vector<double>& preloads) {
  std::vector<double> at;
  for (const double preload : preloads) at.push_back(mount.static_displacement(preload));
  StaticComparison best;
  bool first = true;
  for (const LoopHistory& history : possible_histories(loop, preloads, at)) {
    StaticComparison one = compare_static(mount, loop, history);
    if (first || one.rms < best.rms * (1.0 - 1e-9)) best = std::move(one);
    first = false;
  }
  return best;
}

}  // namespace kdyn::inline identify
