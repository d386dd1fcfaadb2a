// SPDX-License-Identifier: Apache-2.0
// Friction along a recorded quasi-static path, for any scalar; the path is that of element/static_path.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "kdyn/elastomer/friction_memory.hpp"
#include "kdyn/element/static_path.hpp"
#include "kdyn/identify/internal/narrow.hpp"

namespace kdyn::inline identify {

// [identify E3] Friction displacement at every point of the record, for a part at rest at `rest` before it.
template <class T>
std::vector<T> friction_along(const Elastomer<T>& law, const std::vector<double>& path, const T& rest, int passes) {
  NarrowFriction<T> narrow(law.friction());
  using S = typename NarrowFriction<T>::S;
  FrictionMemory<S> memory{narrow.take(rest)};
  std::vector<T> y;
  y.reserve(path.size());
  walk_path(path, passes, [&](double u, bool kept) {
    const S now = memory.commit(narrow.friction, S(u), law.start_up, law.deadband);
    if (kept) y.push_back(narrow.widen(now));
  });
  return y;
}

// Hydro mounts, whose history is not looked for: along the recorded path: once for the memory, once for the comparison,
// centred between the tips so that the unknown history before the record does not pass for a static force.
template <class T>
std::vector<T> centred_friction(const Friction<T>& p, const std::vector<double>& path) {
  NarrowFriction<T> narrow(p);
  using S = typename NarrowFriction<T>::S;
  FrictionMemory<S> memory{S(path.front())};
  std::vector<S> y(path.size());
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < path.size(); ++i) y[i] = memory.commit(narrow.friction, S(path[i]));
  const auto [low, high] = std::minmax_element(path.begin(), path.end());
  const S centre =
      0.5 * (y[static_cast<std::size_t>(low - path.begin())] + y[static_cast<std::size_t>(high - path.begin())]);
  std::vector<T> out(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) out[i] = narrow.widen(S(y[i] - centre));
  return out;
}

}  // namespace kdyn::inline identify
