// SPDX-License-Identifier: Apache-2.0
// The outer surface of a geometry, to draw it: faces of shells, and faces of solids that no second solid shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kdyn/data/geometry.hpp"

namespace kdyn::inline data {

// Corners of the faces of an element, as places in its list of nodes with corners first (Nastran's order). Empty for
// lines, points and types that are not known. `universal_type`: FE descriptor of universal files, see GeometryElement.
std::span<const std::vector<int>> element_faces(int universal_type);

struct SurfaceFace {
  std::vector<std::int64_t> nodes;  // labels of three or four corners, in order around the face
  std::int64_t property = 0;
};

// Elements with fewer nodes than their type has are passed over. Midside nodes are left out, whether they stand behind
// the corners (decks) or between them (universal files of other programs).
std::vector<SurfaceFace> surface_of(const Geometry& geometry);

}  // namespace kdyn::inline data
