// SPDX-License-Identifier: Apache-2.0
// A quasi-static path and what the part went through before it: fit, virtual rig and pages walk the same way  [element
// E8].
//
// The part rests at `rest`, where its operating point is and its friction is empty; it goes straight to the first point
// of the record and then along it, `passes` times. The last time is the record: passes = 1 is a virgin part, 2 one that
// was cycled before. The path consists of straight lines: turning points are samples. Lengths in m (or rad), rates in
// m/s.
#pragma once

#include <cmath>
#include <vector>

#include "kdyn/element/mount.hpp"

namespace kdyn::inline element {

struct PathHistory {
  double rest = 0.0;
  int passes = 2;
};

// go(u, kept) is called for every point in order, after the rest; `kept` says that it belongs to the record.
template <class Go>
void walk_path(const std::vector<double>& path, int passes, Go&& go) {
  for (int pass = 1; pass <= passes; ++pass)
    for (const double u : path) go(u, pass == passes);
}

// Force of any mount at every point of the record. Dampers count as they do at this rate.
std::vector<double> static_path_force(const Mount& mount, const std::vector<double>& path, const PathHistory& history,
                                      double rate = 1.0 / 6000.0);

}  // namespace kdyn::inline element
