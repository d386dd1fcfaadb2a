// SPDX-License-Identifier: Apache-2.0
// Small meshes for examples, tests and rehearsals: grids of shells and solids, and a ring of box beams on bushings.
#pragma once

#include <array>
#include <vector>

#include "kdyn/fe/assemble.hpp"
#include "kdyn/fe/model.hpp"

namespace kdyn::fe {

// A grid of nodes (nx + 1) x (ny + 1) x (nz + 1) over the unit cube, x fastest (nz = 0: the unit square); `place(x, y,
// z)` maps it to space. Returns the node indices.
template <class Place>
std::vector<int> add_grid(Model& model, int nx, int ny, int nz, Place&& place) {
  std::vector<int> nodes;
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i)
        nodes.push_back(model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1,
                                       place(double(i) / nx, double(j) / ny, nz > 0 ? double(k) / nz : 0.0)));
  return nodes;
}

// Quadrilaterals, or two triangles each, over a grid of one layer; solids over a grid of several.
void add_quads(Model& model, const std::vector<int>& grid, int nx, int ny, int property, bool triangles = false);
void add_bricks(Model& model, const std::vector<int>& grid, int nx, int ny, int nz, int property,
                Shape shape = Shape::hex8);

// Rectangular closed ring of thin-walled box beams, 0.9 x 0.66 m over all, section `width` square, with four patches
// (RBE2) on its top at the corners that carry one bushing each, and a rigid mass with an offset centre of gravity on
// every bushing; free in space. The default has about 20 elastic modes below 265 Hz.
struct BoxRingOptions {
  double length = 0.9, breadth = 0.66, width = 0.06;  // m
  double thickness = 2.5e-3;                          // m
  int cells = 3;                                   // elements across the section; about 60 mm / cells is the mesh width
  std::array<std::array<double, 6>, 4> stiffness;  // N/m, N*m/rad of each bushing
  std::array<double, 4> mass = {2.9, 3.3, 3.7, 4.1};  // kg

  BoxRingOptions();
};
struct BoxRing {
  Model model;
  std::vector<int> ring_nodes;                 // eight on the ring, for sensors
  std::array<int, 4> patch_nodes, mass_nodes;  // ring side and mass side of each bushing
  std::array<int, 4> tip_nodes;  // a point of each mass away from its bushing: a force there turns the mass too
  std::vector<Dof> outputs;      // 36: three translations of eight points of the ring and of the tips
  std::vector<Dof> inputs;       // 12: three translations of the tips
};
BoxRing make_box_ring(const BoxRingOptions& options = {});
// The stiffnesses [bushing][component] that a subframe of this kind was found to have after a test (nominal ones are
// the default above).
std::array<std::array<double, 6>, 4> box_ring_found_stiffness();
// Parameters p1 .. p24: six stiffnesses of each of the four bushings.
std::vector<Parameter> box_ring_parameters(const BoxRing& ring);

}  // namespace kdyn::fe
