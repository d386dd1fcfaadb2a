// SPDX-License-Identifier: Apache-2.0
// Lines to draw a mesh with: edges of its surface, or only those where it bends when there are too many.
#pragma once

#include <array>
#include <vector>

#include "kdyn/fe/model.hpp"

namespace kdyn::fe {

// Pairs of node indices. At most about `most` lines: then only borders, joints of three or more faces and edges sharper
// than 25 degrees.
std::vector<std::array<int, 2>> outline(const Model& model, std::size_t most = 6000);

// The lines, and the faces of the surface as elements of three or four nodes, as geometry for pictures. The faces are left
// out where nodes of lines and faces together are more than `most_points`.
Geometry outline_geometry(const Model& model, const std::vector<std::array<int, 2>>& lines,
                          std::size_t most_points = 40'000);

}  // namespace kdyn::fe
