// SPDX-License-Identifier: Apache-2.0
// Points, lines and elements of a tested or modelled structure: enough to draw it and to match points by position.
//
// Positions are global, cartesian and in m. Nodes keep the label of the coordinate system their motion is expressed in
// (0: global).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kdyn::inline data {

enum class CoordinateKind { cartesian, cylindrical, spherical };

struct CoordinateSystem {
  std::int64_t label = 0;
  std::string name;
  CoordinateKind kind = CoordinateKind::cartesian;
  std::array<std::array<double, 3>, 3> R_GL = {
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};    // turns local components into global ones
  std::array<double, 3> p_GL_G = {0, 0, 0};  // origin, global
};

struct GeometryNode {
  std::int64_t label = 0;
  std::array<double, 3> position = {0, 0, 0};
  std::int64_t motion_system = 0;      // coordinate system of measured or computed motion
  std::int64_t definition_system = 0;  // as the file said; position is global already
  int color = 0;
};

// A line drawn through nodes in order; label 0 lifts the pen.
struct TraceLine {
  std::int64_t label = 0;
  std::string name;
  int color = 0;
  std::vector<std::int64_t> nodes;
};

struct GeometryElement {
  std::int64_t label = 0;
  int type = 0;  // FE descriptor id of universal files: 11 rod, 21 beam, 41 thin triangle, 44 thin quad, 111 tetra, 115
                 // brick, ...
  std::int64_t property = 0, material = 0;
  int color = 0;
  std::vector<std::int64_t> nodes;
  std::array<std::int64_t, 3> beam = {0, 0, 0};  // orientation node and end cross sections of beams
};

struct Geometry {
  std::string name;
  std::vector<CoordinateSystem> systems;
  std::vector<GeometryNode> nodes;
  std::vector<TraceLine> lines;
  std::vector<GeometryElement> elements;
};

// The axes that motion at a node is expressed in, as columns of a matrix that turns their components into global ones. In
// cylindrical systems they are radial, tangential and axial, in spherical ones radial, along the meridian (away from the
// pole) and tangential: at each node others. The global axes for system 0, for one that the geometry does not have, and on
// the axis of a round system, where radial means nothing, those of the system itself.
std::array<std::array<double, 3>, 3> motion_axes(const Geometry& geometry, const GeometryNode& node);

}  // namespace kdyn::inline data
