// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/static_path.hpp"

#include <algorithm>

namespace kdyn::inline element {

std::vector<double> static_path_force(const Mount& mount, const std::vector<double>& path, const PathHistory& history,
                                      double rate) {
  const std::unique_ptr<Mount> specimen = mount.clone();
  specimen->start({history.rest, 0.0});
  double now = history.rest;
  std::vector<double> force;
  force.reserve(path.size());
  walk_path(path, history.passes, [&](double u, bool kept) {
    // The velocity jumps at corners, so it is set at the start of each step too. A pause lasts a moment.
    const double h = std::max(std::abs(u - now) / rate, 1e-6), v = (u - now) / h;
    specimen->change_velocity(v);
    const double f = specimen->advance({u, v}, h);
    now = u;
    if (kept) force.push_back(f);
  });
  return force;
}

}  // namespace kdyn::inline element
