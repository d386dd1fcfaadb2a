// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/simulate.hpp"

#include "kdyn/base/error.hpp"

namespace kdyn::inline element {

std::vector<double> velocity_of(const std::vector<double>& t, const std::vector<double>& u) {
  demand(t.size() == u.size(), "time and displacement have the same length");
  const std::size_t n = t.size();
  std::vector<double> v(n, 0.0);
  if (n < 2) return v;
  if (n == 2) {
    v[0] = v[1] = (u[1] - u[0]) / (t[1] - t[0]);
    return v;
  }
  const auto parabola = [&](std::size_t i, double at) {  // through samples i, i+1, i+2
    const double h1 = t[i + 1] - t[i], h2 = t[i + 2] - t[i + 1];
    const double d1 = (u[i + 1] - u[i]) / h1, d2 = (u[i + 2] - u[i + 1]) / h2;
    return d1 + (d2 - d1) / (h1 + h2) * (2.0 * at - t[i] - t[i + 1]);
  };
  v[0] = parabola(0, t[0]);
  for (std::size_t i = 1; i + 1 < n; ++i) v[i] = parabola(i - 1, t[i]);
  v[n - 1] = parabola(n - 3, t[n - 1]);
  return v;
}

std::vector<double> simulate(Mount& mount, const std::vector<double>& time, const std::vector<double>& displacement,
                             const std::vector<double>& velocity, std::vector<MountRecord>* inside) {
  const std::vector<double> v = velocity.empty() ? velocity_of(time, displacement) : velocity;
  demand(v.size() == displacement.size() && time.size() == displacement.size(),
         "time, displacement and velocity have the same length");
  std::vector<double> force(displacement.size());
  if (force.empty()) return force;
  mount.start({displacement[0], v[0]});
  force[0] = mount.peek({displacement[0], v[0]});
  if (inside != nullptr) {
    *inside = records_of(mount);
    record(mount, *inside);
  }
  for (std::size_t i = 1; i < force.size(); ++i) {
    force[i] = mount.advance({displacement[i], v[i]}, time[i] - time[i - 1]);
    if (inside != nullptr) record(mount, *inside);
  }
  return force;
}

std::vector<MountRecord> records_of(const Mount& mount) {
  std::vector<MountRecord> records;
  for (MountSignal& signal : mount.outputs()) records.push_back({std::move(signal), {}});
  return records;
}

void record(const Mount& mount, std::vector<MountRecord>& records) {
  if (records.empty()) return;
  const std::vector<double> now = mount.output_values();
  for (std::size_t i = 0; i < records.size(); ++i) records[i].values.push_back(now[i]);
}

}  // namespace kdyn::inline element
