// SPDX-License-Identifier: Apache-2.0
// Time records of steady sines, one after another in one file, as points of a stiffness map.
//
// Segments are runs of half cycles whose length and range stay within 25 % of their median; between them the bench
// changes frequency or amplitude, pauses, or moves to another mean. Each run of at least three cycles is reduced by the
// four-parameter sine fit and first harmonics of signal/sine_fit.hpp, as for records of the virtual rig. A record
// counts as sines when these runs hold 70 % of its travel; a sweep, noise or a road does not.
#pragma once

#include <optional>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline door {

struct SineSegment {
  std::size_t first = 0, count = 0;  // samples
};
std::vector<SineSegment> sine_segments(const BenchSeries& series);

// Nothing when the record is no sequence of steady sines. `findings` gets what was found and what was left out.
std::optional<StiffnessMap> reduce_sines(const BenchSeries& series, std::vector<Finding>& findings);

}  // namespace kdyn::inline door
