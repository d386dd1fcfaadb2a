// SPDX-License-Identifier: Apache-2.0
// Meshes cut in two along each edge, against the same structure meshed twice as fine by the mesh builder.
#include "kdyn/fe/refine_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/modes.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

VectorXd frequencies(const Model& model, int count) {
  ModesOptions options;
  options.count = count, options.shift_hz = 5.0;
  return find_modes(assemble(model), options).frequency_hz;
}

void expect_the_same(const Model& cut, const Model& built, int count) {
  ASSERT_EQ(cut.nodes.size(), built.nodes.size());
  ASSERT_EQ(cut.elements.size(), built.elements.size());
  const VectorXd a = frequencies(cut, count), b = frequencies(built, count);
  ASSERT_EQ(a.size(), b.size());
  // Modes near zero are rounding; the others differ by the order of sums and the tolerance of the eigensolver.
  for (Eigen::Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-7 * b[i] + 1e-3) << i;
}

// Clamped on one side, hinged on the opposite one; elements are no rectangles. The diagonal of a cell is cut in its
// middle, which is where the middle of the cell goes as long as opposite sides are parallel.
Model plate(int n, bool triangles) {
  Model model;
  const double pulled = triangles ? 0.0 : 1.0;  // a corner pulled out
  const auto grid = add_grid(model, n, n, 0, [&](double x, double y, double) {
    return Vector3d(0.6 * x + 0.07 * y + 0.1 * pulled * x * y, 0.4 * y + 0.08 * pulled * x * y, 0.0);
  });
  const int steel = model.add_material(210e9, 0.3, 7850.0);
  const int sheet = model.add_shell_property(steel, 0.004);
  if (!triangles) add_quads(model, grid, n, n, sheet);
  // All diagonals the same way; the builder's own triangles alternate, and halves of alternating ones do not.
  for (int j = 0; j < n && triangles; ++j)
    for (int i = 0; i < n; ++i) {
      const auto at = [&](int a, int b) { return grid[static_cast<std::size_t>((j + b) * (n + 1) + i + a)]; };
      model.add_element(Shape::tria3, sheet, {at(0, 0), at(1, 0), at(1, 1)});
      model.add_element(Shape::tria3, sheet, {at(0, 0), at(1, 1), at(0, 1)});
    }
  for (int j = 0; j <= n; ++j) {
    model.nodes[static_cast<std::size_t>(grid[static_cast<std::size_t>(j * (n + 1))])].fixed = 0x3fu;
    model.nodes[static_cast<std::size_t>(grid[static_cast<std::size_t>(j * (n + 1) + n)])].fixed = 0x07u;
  }
  return model;
}

TEST(RefinedMesh, PlatesAreThoseOfTheBuilder) {
  for (const bool triangles : {false, true}) {
    const std::optional<Model> cut = with_mesh_halved(plate(4, triangles));
    ASSERT_TRUE(cut.has_value());
    expect_the_same(*cut, plate(8, triangles), 8);
  }
}

TEST(RefinedMesh, BricksAreThoseOfTheBuilder) {
  const auto block = [](int n) {
    Model model;
    const auto grid = add_grid(model, 3 * n, 2 * n, n, [](double x, double y, double z) {
      return Vector3d(0.3 * x, 0.2 * y + 0.03 * x, 0.1 * z - 0.02 * x * y);
    });
    add_bricks(model, grid, 3 * n, 2 * n, n, model.add_solid_property(model.add_material(70e9, 0.33, 2700.0)));
    return model;
  };
  const std::optional<Model> cut = with_mesh_halved(block(1));
  ASSERT_TRUE(cut.has_value());
  expect_the_same(*cut, block(2), 12);
}

// A rigid patch carries a mass: what lies between its nodes belongs to it. The oracle lists all of them.
TEST(RefinedMesh, NodesWithinARigidPatchFollowIt) {
  const auto frame = [](int n) {
    Model model = plate(n, false);
    const int master = model.add_node(9001, {0.35, 0.22, 0.05});
    RigidLink link;
    link.label = 7, link.master = master;
    for (int j = n / 2; j <= 3 * n / 4; ++j)
      for (int i = n / 2; i <= 3 * n / 4; ++i) link.dependents.push_back(j * (n + 1) + i);
    PointMass mass;
    mass.label = 8, mass.node = master, mass.mass = 1.7;
    model.rigid_links.push_back(link), model.masses.push_back(mass);
    return model;
  };
  const Model coarse = frame(4);
  const std::optional<Model> cut = with_mesh_halved(coarse);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->rigid_links[0].dependents.size(), 9u);  // of 2 x 2 nodes
  EXPECT_EQ(cut->node_index(9001), coarse.node_index(9001));
  expect_the_same(*cut, frame(8), 8);
}

// What would become another structure is left alone.
TEST(RefinedMesh, LeavesAloneWhatItCannotCut) {
  const Model good = plate(2, false);
  const auto refused = [&](const std::function<void(Model&)>& spoil) {
    Model model = good;
    spoil(model);
    return !with_mesh_halved(model).has_value();
  };
  EXPECT_FALSE(refused([](Model&) {}));
  EXPECT_TRUE(refused([](Model& m) { m.elements.clear(); }));
  EXPECT_TRUE(refused([](Model& m) { m.elements[0].shape = Shape::quad8; }));
  EXPECT_TRUE(refused([](Model& m) { m.constraints.push_back({{{0, 0, 1.0}, {1, 0, -1.0}}, "MPC"}); }));
  EXPECT_TRUE(refused([](Model& m) { m.entries.push_back({false, 0, 0, 1e3}); }));
  EXPECT_TRUE(refused([](Model& m) {
    AverageLink link;
    link.reference = m.add_node(77, {0.1, 0.1, 0.1}), link.members = {{0, 1.0, 7u}, {1, 1.0, 7u}, {2, 1.0, 7u}};
    m.average_links.push_back(link);
  }));
  EXPECT_TRUE(refused([](Model& m) { m.details.emplace_back(), m.elements[0].detail = 0; }));
}

}  // namespace
}  // namespace kdyn::fe
