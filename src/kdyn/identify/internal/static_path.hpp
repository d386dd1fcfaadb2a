// SPDX-License-Identifier: Apache-2.0
// Friction along a recorded quasi-static path.
#pragma once

#include <algorithm>
#include <vector>

#include "kdyn/elastomer/friction_memory.hpp"
#include "kdyn/identify/internal/narrow.hpp"

namespace kdyn::identify {

// [identify E3] Friction along the recorded path: once for the memory, once for the comparison, centred between the tips so that the
// unknown history before the record does not pass for a static force.
template <class T>
std::vector<T> centred_friction(const Friction<T>& p, const std::vector<double>& path) {
  NarrowFriction<T> narrow(p);
  using S = typename NarrowFriction<T>::S;
  FrictionMemory<S> memory{S(path.front())};
  std::vector<S> y(path.size());
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < path.size(); ++i) y[i] = memory.commit(narrow.friction, S(path[i]));
  const auto [low, high] = std::minmax_element(path.begin(), path.end());
  const S centre = 0.5 * (y[static_cast<std::size_t>(low - path.begin())] + y[static_cast<std::size_t>(high - path.begin())]);
  std::vector<T> out(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) out[i] = narrow.widen(S(y[i] - centre));
  return out;
}

}  // namespace kdyn::identify
