// SPDX-License-Identifier: Apache-2.0
// Friction along a recorded quasi-static path.
#pragma once

#include <algorithm>
#include <vector>

#include "kdyn/elastomer/friction_memory.hpp"

namespace kdyn::identify {

// [identify E3] Friction along the recorded path: once for the memory, once for the comparison, centred between the tips so that the
// unknown history before the record does not pass for a static force.
template <class T>
std::vector<T> centred_friction(const Friction<T>& p, const std::vector<double>& path) {
  FrictionMemory<T> memory{T(path.front())};
  std::vector<T> y(path.size());
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < path.size(); ++i) y[i] = memory.commit(p, T(path[i]));
  const auto [low, high] = std::minmax_element(path.begin(), path.end());
  const T centre = 0.5 * (y[static_cast<std::size_t>(low - path.begin())] + y[static_cast<std::size_t>(high - path.begin())]);
  for (T& value : y) value -= centre;
  return y;
}

}  // namespace kdyn::identify
