// SPDX-License-Identifier: Apache-2.0
// Surfaces of parts for pictures: STL (text and binary) and Wavefront OBJ. Triangles only; colours, normals and textures are of no use here.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline io {

struct SurfaceMesh {
  std::vector<std::array<double, 3>> points;  // each place once
  std::vector<std::array<int, 3>> triangles;  // indices into points
};

// By content, not by the ending of the name. Throws Error(bad_input) with line or triangle.
SurfaceMesh parse_surface(std::string_view content, const std::string& name);

// The same shape with at most `most` points: those in one cell of a grid become the first of them.
SurfaceMesh thinned(const SurfaceMesh& mesh, std::size_t most);

}  // namespace kdyn::inline io
