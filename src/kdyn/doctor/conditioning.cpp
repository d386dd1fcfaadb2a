// SPDX-License-Identifier: Apache-2.0
#include "kdyn/doctor/conditioning.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/doctor/paths.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {

Conditioning examine_conditioning(const std::vector<double>& displacement, const std::vector<double>& force,
                                  const ConditioningOptions& options) {
  Conditioning out;
  if (displacement.size() < 12 || displacement.size() != force.size()) return out;
  const double width = range_of(displacement).width();
  if (!(width > 0.0)) return out;
  const std::vector<std::size_t> turning = branch_ends(displacement, 0.5 * width);
  // The first and the last point are ends of the path, no turning points: half cycles there do not count.
  for (std::size_t i = 1; i + 3 < turning.size(); i += 2) {
    CycleStiffness cycle{turning[i], turning[i + 2], 0.0};
    const auto range = [&](const std::vector<double>& of) {
      const auto [low, high] = std::minmax_element(of.begin() + static_cast<std::ptrdiff_t>(cycle.first),
                                                   of.begin() + static_cast<std::ptrdiff_t>(cycle.last) + 1);
      return *high - *low;
    };
    const double moved = range(displacement);
    if (moved < 0.95 * width) continue;
    cycle.stiffness = range(force) / moved;
    out.cycles.push_back(cycle);
  }
  if (out.cycles.size() < 3) return out;
  const std::size_t n = out.cycles.size();
  const double last = out.cycles.back().stiffness;
  if (!(last > 0.0)) return out;
  out.softening = out.cycles.front().stiffness / last - 1.0;
  double scatter = 0.0;  // of the later half, from cycle to cycle
  for (std::size_t i = n / 2 + 1; i < n; ++i)
    scatter = std::max(scatter, std::abs(out.cycles[i].stiffness / out.cycles[i - 1].stiffness - 1.0));
  out.conditioned_from = n - 1;
  while (out.conditioned_from > 0 &&
         std::abs(out.cycles[out.conditioned_from - 1].stiffness / last - 1.0) <= options.repeats)
    --out.conditioned_from;
  const bool falls = out.cycles[1].stiffness < out.cycles[0].stiffness;
  out.softened = falls && out.softening > options.softening && out.softening > 4.0 * scatter;
  return out;
}

Finding conditioning_finding(const Conditioning& found, const char* path, std::size_t line) {
  return {Severity::warning, "conditioning", path,
          fmt::format(
              "the first of {} cycles is {:.0f} % stiffer than the last; from cycle {} on the stiffness repeats: the "
              "part softened while it was measured (Mullins effect)",
              found.cycles.size(), 100.0 * found.softening, found.conditioned_from + 1),
          line > 0 ? fmt::format("use the cycles from line {} on, or condition the part at the largest amplitude first",
                                 line)
                   : "use the later cycles only, or condition the part at the largest amplitude first"};
}

}  // namespace kdyn::inline doctor
