// SPDX-License-Identifier: Apache-2.0
// Oracle: unit vectors of cylindrical and spherical coordinates, by differences of the position along each coordinate.
#include "kdyn/data/geometry.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace kdyn::inline data {
namespace {

using Position = std::array<double, 3>;

// A system turned by 30 degrees about x, away from the origin.
CoordinateSystem tilted(CoordinateKind kind) {
  const double c = std::cos(0.5236), s = std::sin(0.5236);
  CoordinateSystem out;
  out.label = 4;
  out.kind = kind;
  out.R_GL = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  out.p_GL_G = {0.3, -1.0, 0.7};
  return out;
}

Position global_of(const CoordinateSystem& system, const Position& q) {
  Position local = q;
  if (system.kind == CoordinateKind::cylindrical) local = {q[0] * std::cos(q[1]), q[0] * std::sin(q[1]), q[2]};
  if (system.kind == CoordinateKind::spherical)
    local = {q[0] * std::sin(q[1]) * std::cos(q[2]), q[0] * std::sin(q[1]) * std::sin(q[2]), q[0] * std::cos(q[1])};
  Position out = system.p_GL_G;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += system.R_GL[i][j] * local[j];
  return out;
}

TEST(Geometry, AxesOfMotionFollowTheCoordinates) {
  for (const CoordinateKind kind :
       {CoordinateKind::cartesian, CoordinateKind::cylindrical, CoordinateKind::spherical}) {
    Geometry geometry;
    geometry.systems.push_back(tilted(kind));
    const Position q = {1.3, 0.8, 2.1};
    GeometryNode node;
    node.motion_system = 4;
    node.position = global_of(geometry.systems[0], q);
    const auto axes = motion_axes(geometry, node);
    for (std::size_t k = 0; k < 3; ++k) {
      Position more = q;
      more[k] += 1e-6;
      const Position there = global_of(geometry.systems[0], more);
      Position along{};
      double length = 0.0;
      for (std::size_t i = 0; i < 3; ++i) length += std::pow(along[i] = there[i] - node.position[i], 2);
      // Differences over 1e-6 of curves with radii of about 1.
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(axes[i][k], along[i] / std::sqrt(length), 1e-5);
    }
  }
}

TEST(Geometry, WithoutASystemTheAxesAreGlobal) {
  Geometry geometry;
  GeometryNode node;
  node.motion_system = 4;
  const auto axes = motion_axes(geometry, node);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(axes[i][j], i == j ? 1.0 : 0.0);
}

}  // namespace
}  // namespace kdyn::inline data
