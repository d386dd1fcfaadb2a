// SPDX-License-Identifier: Apache-2.0
// What is written is read back: to the same matrices, and for the example of updating to the committed deck.
#include <gtest/gtest.h>

#include "kdyn/base/file.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/modes.hpp"
#include "kdyn/fe/nastran_model.hpp"
#include "kdyn/fe/nastran_write.hpp"

namespace kdyn::fe {
namespace {

void expect_same_matrices(const Model& model, const Model& again) {
  const Assembly a = assemble(model), b = assemble(again);
  ASSERT_EQ(a.map.dofs, b.map.dofs);
  const auto gap = [](const SparseMatrix& x, const SparseMatrix& y) {
    const SparseMatrix d = x - y;
    double largest = 0.0;
    for (int k = 0; k < d.nonZeros(); ++k) largest = std::max(largest, std::abs(d.valuePtr()[k]));
    return largest / x.coeffs().cwiseAbs().maxCoeff();
  };
  // Eleven digits of a large field.
  EXPECT_LT(gap(a.matrices.stiffness_at(), b.matrices.stiffness_at()), 1e-9);
  EXPECT_LT(gap(a.matrices.mass_at(), b.matrices.mass_at()), 1e-9);
}

Model reread(const Model& model) {
  NastranDeck deck = parse_nastran(nastran_text(model), "again.bdf");
  EXPECT_TRUE(deck.skipped.empty());
  return model_of(deck);
}

TEST(NastranWrite, EveryKindOfPartComesBack) {
  Model m;
  const int steel = m.add_material(2.1e11, 0.3, 7850.0), rubber = m.add_material(1.234567e6, 0.49, 1100.0);
  m.materials[0].shear = 7.9e10;
  const int shell = m.add_shell_property(steel, 0.0025), solid = m.add_solid_property(rubber);
  const auto grid = add_grid(
      m, 2, 1, 0, [](double x, double y, double) { return Eigen::Vector3d(0.3 * x + 1.0 / 3.0, 0.2 * y, 0.0); });
  m.add_element(Shape::quad4, shell, {grid[0], grid[1], grid[4], grid[3]});
  Property offset = m.properties[0];
  offset.offset = 0.004;
  m.properties.push_back(offset);
  m.add_element(Shape::tria3, static_cast<int>(m.properties.size()) - 1, {grid[1], grid[2], grid[5]});
  const auto block = add_grid(
      m, 1, 1, 1, [](double x, double y, double z) { return Eigen::Vector3d(0.1 * x, 0.1 * y + 1.0, 0.1 * z); });
  add_bricks(m, block, 1, 1, 1, solid);
  for (const bool polar : {false, true}) {
    Property section;
    section.label = polar ? 21 : 20;
    section.material = steel;
    section.area = 1e-4, section.inertia_1 = 2e-9, section.inertia_2 = 1e-9, section.torsion = 1.5e-9,
    section.shear_1 = 0.8, section.shear_2 = 0.7;
    section.polar_inertia = polar;
    m.properties.push_back(section);
    m.add_element(Shape::beam, static_cast<int>(m.properties.size()) - 1, {polar ? grid[2] : grid[0], block[0]});
    m.elements.back().orientation = Eigen::Vector3d(0.1, 0.0, 1.0);
    m.elements.back().arms[1] = Eigen::Vector3d(0.0, 0.01, 0.0);
  }
  Property wire;
  wire.label = 30, wire.material = steel, wire.area = 1e-5, wire.torsion = 1e-10;
  m.properties.push_back(wire);
  m.add_element(Shape::rod, static_cast<int>(m.properties.size()) - 1, {grid[5], block[7]});
  m.frames.push_back(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1.0, 2.0, 3.0).normalized()).toRotationMatrix());
  m.nodes[static_cast<std::size_t>(grid[0])].frame = 0;
  m.nodes[static_cast<std::size_t>(grid[3])].fixed = 0b000101;
  Spring s;
  s.label = 900, s.property = 901, s.a = grid[4], s.b = block[3];
  s.stiffness << 1e5, 2e5, 3e5, 40.0, 50.0, 60.0;
  s.axes = m.frames[0].transpose();
  s.point = Eigen::Vector3d(0.2, 0.4, 0.1);
  m.springs.push_back(s);
  m.scalar_springs.push_back({910, 0, grid[1], 2, grid[4], 2, 1234.5});
  m.scalar_springs.push_back({911, 0, grid[0], 1, -1, 0, 99.0});
  PointMass mass;
  mass.label = 920, mass.node = grid[2], mass.mass = 1.5, mass.offset = Eigen::Vector3d(0.01, -0.02, 0.03);
  mass.inertia << 0.01, 0.001, -0.002, 0.001, 0.02, 0.0005, -0.002, 0.0005, 0.015;
  m.masses.push_back(mass);
  const int hub = m.add_node(500, {0.05, 1.05, 0.2}), middle = m.add_node(501, {0.4, 0.1, 0.0});
  m.rigid_links.push_back({930, hub, 0x3f, {block[4], block[5], block[6]}});
  m.average_links.push_back({931, middle, 0x3f, {{grid[0], 1.0, 0x7}, {grid[1], 2.0, 0x7}, {grid[4], 1.0, 0x7}}});
  PointMass on_middle;
  on_middle.label = 921, on_middle.node = middle, on_middle.mass = 0.3,
  on_middle.inertia = 1e-4 * Eigen::Matrix3d::Identity();
  m.masses.push_back(on_middle);
  m.constraints.push_back({{{block[1], 0, 1.0}, {block[2], 0, -0.5}, {grid[5], 1, -0.25}}, "test"});
  expect_same_matrices(m, reread(m));
  m.consistent_mass = false;
  m.mass_factor = 0.001;
  expect_same_matrices(m, reread(m));
}

TEST(NastranWrite, BoxRingIsLikeTheStructureOfThePaper) {
  const BoxRing ring = make_box_ring();
  EXPECT_EQ(ring.outputs.size(), 36u);
  EXPECT_EQ(ring.inputs.size(), 12u);
  ModesOptions options;
  options.count = 40;
  BoxRingOptions found;
  found.stiffness = box_ring_found_stiffness();
  for (const Model& model : {ring.model, make_box_ring(found).model}) {
    const Modes m = find_modes(assemble(model), options);
    EXPECT_EQ(m.rigid, 6);
    int below = 0;
    for (const double f : m.frequency_hz) below += f > 0.0 && f < 265.0;
    EXPECT_GE(below, 18) << m.frequency_hz.transpose();  // "about 20"
    EXPECT_LE(below, 22);
  }
}

TEST(NastranWrite, TheExampleDeckIsTheBoxRing) {
  BoxRingOptions options;
  options.cells = 2;
  expect_same_matrices(make_box_ring(options).model,
                       read_nastran_model(KDYN_SOURCE_DIR "/examples/updating/box_ring.bdf"));
}

}  // namespace
}  // namespace kdyn::fe
