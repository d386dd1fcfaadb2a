// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline data {
namespace {

using Axes = std::array<std::array<double, 3>, 3>;

Axes product(const Axes& a, const Axes& b) {
  Axes out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

}  // namespace

Axes motion_axes(const Geometry& geometry, const GeometryNode& node) {
  const auto system = std::find_if(geometry.systems.begin(), geometry.systems.end(), [&](const CoordinateSystem& s) {
    return node.motion_system != 0 && s.label == node.motion_system;
  });
  if (system == geometry.systems.end()) return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (system->kind == CoordinateKind::cartesian) return system->R_GL;
  // Where the node stands in the axes of the system: R_GL^T (p - origin).
  std::array<double, 3> p{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) p[i] += system->R_GL[j][i] * (node.position[j] - system->p_GL_G[j]);
  const double across = std::hypot(p[0], p[1]), far = std::hypot(across, p[2]);
  if (!(across > 1e-9 * far)) return system->R_GL;
  const double c = p[0] / across, s = p[1] / across;
  if (system->kind == CoordinateKind::cylindrical) return product(system->R_GL, {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}});
  const double ct = p[2] / far, st = across / far;  // of the angle from the pole
  return product(system->R_GL, {{{st * c, ct * c, -s}, {st * s, ct * s, c}, {ct, -st, 0}}});
}

}  // namespace kdyn::inline data
