// SPDX-License-Identifier: Apache-2.0
// What a part may have gone through before its static loop was recorded, and the force of a mount over the loop after
// it  [identify E3].
//
// A file holds the loop alone. Where the part rested (its operating point: friction is empty there and scales with the
// stiffness there) and whether it was cycled before are not in it. A few possibilities exist; fit, workbench and
// validation try them and take the one that meets the record best, so that all of them walk the path as the law and the
// virtual rig do (element/static_path.hpp).
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/element/static_path.hpp"

namespace kdyn::inline identify {

enum class RestPoint { first_sample, zero, middle, preload };

struct LoopHistory {
  RestPoint rest = RestPoint::first_sample;
  double preload = 0.0;  // N, of RestPoint::preload
  int passes =
      2;  // 1: the record is the part's first way along it; 0: a curve without hysteresis, the static part alone
};

// In words, as findings and reports tell it.
std::string to_words(const LoopHistory& history, double rest_displacement, AxisKind axis);

// Displacement of the rest point; that of a preload is a matter of the mount.
double rest_displacement(const LoopHistory& history, const StaticLoop& loop, double at_preload);

// The possibilities for a loop beside sines at these preloads, the likeliest first: rest at the first sample, at zero
// where the loop passes it, at each preload, in the middle; each cycled and virgin. `at_preload` are the displacements
// of the preloads. Rest points closer than 1 % of the stroke count as one. A record of one branch, or whose branches
// lie on one another, is a curve and no loop: it has nothing to say about friction and is the static part alone.
std::vector<LoopHistory> possible_histories(const StaticLoop& loop, const std::vector<double>& preloads,
                                            const std::vector<double>& at_preload);

// Loading and unloading differ by more than a thousandth of the force range and than noise.
bool shows_hysteresis(const StaticLoop& loop);

// Force of a mount over a loop, moved to the mean of the measured force (the constant belongs to the sensor), with what
// is left between them.
struct StaticComparison {
  LoopHistory history;
  double rest = 0.0;
  std::vector<double> force;
  double rms = 0.0;
};
StaticComparison compare_static(const Mount& mount, const StaticLoop& loop, const LoopHistory& history);
// The same for the history that leaves least.
StaticComparison compare_static(const Mount& mount, const StaticLoop& loop, const std::vector<double>& preloads = {});

}  // namespace kdyn::inline identify
