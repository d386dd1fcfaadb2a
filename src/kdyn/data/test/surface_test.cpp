// SPDX-License-Identifier: Apache-2.0
// Outer surfaces: counted and measured by hand, closed by Euler's formula, the same with midside nodes in either order.
#include "kdyn/data/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace kdyn {
namespace {

// n x n x n bricks of side 1.
Geometry bricks(int n) {
  Geometry out;
  const auto label = [n](int i, int j, int k) { return 1 + i + (n + 1) * (j + (n + 1) * k); };
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        GeometryNode node;
        node.label = label(i, j, k);
        node.position = {double(i), double(j), double(k)};
        out.nodes.push_back(node);
      }
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        GeometryElement brick;
        brick.type = 115;
        brick.property = 1 + i;
        for (const int up : {0, 1})
          for (const auto& [a, b] : {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(0, 1)})
            brick.nodes.push_back(label(i + a, j + b, k + up));
        out.elements.push_back(brick);
      }
  return out;
}

std::array<double, 3> minus(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Measure {
  double area = 0.0, volume = 0.0;  // by the divergence theorem: right only when all faces look outwards
  std::size_t vertices = 0, edges = 0;
};

Measure measure(const Geometry& geometry, const std::vector<SurfaceFace>& faces) {
  std::map<std::int64_t, std::array<double, 3>> place;
  for (const GeometryNode& node : geometry.nodes) place[node.label] = node.position;
  std::set<std::int64_t> vertices;
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  Measure out;
  for (const SurfaceFace& face : faces) {
    for (std::size_t i = 0; i < face.nodes.size(); ++i) {
      vertices.insert(face.nodes[i]);
      edges.insert(std::minmax(face.nodes[i], face.nodes[(i + 1) % face.nodes.size()]));
    }
    for (std::size_t i = 2; i < face.nodes.size(); ++i) {
      const auto a = place[face.nodes[0]], b = place[face.nodes[i - 1]], c = place[face.nodes[i]];
      const auto n = cross(minus(b, a), minus(c, a));
      out.area += 0.5 * std::hypot(n[0], n[1], n[2]);
      out.volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0;
    }
  }
  out.vertices = vertices.size(), out.edges = edges.size();
  return out;
}

TEST(Surface, OfACubeOfBricksIsClosedAndLooksOutwards) {
  const int n = 3;
  const Geometry geometry = bricks(n);
  const auto faces = surface_of(geometry);
  EXPECT_EQ(faces.size(), 6u * n * n);
  const Measure m = measure(geometry, faces);
  EXPECT_NEAR(m.area, 6.0 * n * n, 1e-12);  // sums of exact numbers
  EXPECT_NEAR(m.volume, 1.0 * n * n * n, 1e-12);
  EXPECT_EQ(m.vertices - m.edges + faces.size(), 2u);  // Euler: a closed surface without holes
  EXPECT_EQ(std::count_if(faces.begin(), faces.end(), [](const auto& f) { return f.property == 2; }), 4 * n);
}

TEST(Surface, OfATetrahedronWithMidsideNodesHasItsCornersInEitherOrder) {
  Geometry geometry;
  const std::vector<std::array<double, 3>> corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto add = [&](const std::array<double, 3>& at) {
    GeometryNode node;
    node.label = static_cast<std::int64_t>(geometry.nodes.size()) + 1;
    node.position = at;
    geometry.nodes.push_back(node);
    return node.label;
  };
  const auto middle = [&](std::size_t a, std::size_t b) {
    return std::array<double, 3>{0.5 * (corner[a][0] + corner[b][0]), 0.5 * (corner[a][1] + corner[b][1]),
                                 0.5 * (corner[a][2] + corner[b][2])};
  };
  std::vector<std::int64_t> c, m;
  for (const auto& at : corner) c.push_back(add(at));
  for (const auto& [a, b] :
       {std::pair(0, 1), std::pair(1, 2), std::pair(2, 0), std::pair(0, 3), std::pair(1, 3), std::pair(2, 3)})
    m.push_back(add(middle(static_cast<std::size_t>(a), static_cast<std::size_t>(b))));
  GeometryElement corners_first, midsides_between;
  corners_first.type = midsides_between.type = 118;
  corners_first.nodes = {c[0], c[1], c[2], c[3], m[0], m[1], m[2], m[3], m[4], m[5]};
  midsides_between.nodes = {c[0], m[0], c[1], m[1], c[2], m[2], m[3], m[4], m[5], c[3]};
  for (const GeometryElement& element : {corners_first, midsides_between}) {
    geometry.elements = {element};
    const auto faces = surface_of(geometry);
    ASSERT_EQ(faces.size(), 4u);
    const Measure measured = measure(geometry, faces);
    EXPECT_NEAR(measured.volume, 1.0 / 6.0, 1e-15);
    EXPECT_NEAR(measured.area, 1.5 + std::sqrt(3.0) / 2.0, 1e-15);
  }
}

TEST(Surface, LinesAndBrokenElementsHaveNone) {
  Geometry geometry = bricks(1);
  geometry.elements.front().nodes.pop_back();
  GeometryElement beam, stranger;
  beam.type = 21, beam.nodes = {1, 2};
  stranger.type = 44, stranger.nodes = {1, 2, 3, 99};
  geometry.elements.insert(geometry.elements.end(), {beam, stranger});
  for (const SurfaceFace& face : surface_of(geometry))
    for (const std::int64_t label : face.nodes) EXPECT_NE(label, 7);  // the node that is missing
  geometry.elements = {beam, stranger};
  EXPECT_TRUE(surface_of(geometry).empty());
}

TEST(Surface, TwoShellsOnTheSameNodesAreOneFace) {
  Geometry geometry = bricks(1);
  GeometryElement shell;
  shell.type = 94, shell.nodes = {1, 2, 4, 3};
  geometry.elements = {shell, shell};
  EXPECT_EQ(surface_of(geometry).size(), 1u);
}

}  // namespace
}  // namespace kdyn
