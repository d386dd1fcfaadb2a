// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/mesh_builder.hpp"

#include <cmath>
#include <map>

#include "kdyn/base/error.hpp"

namespace kdyn::fe {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

void add_quads(Model& model, const std::vector<int>& grid, int nx, int ny, int property, bool triangles) {
  const auto node = [&](int i, int j) { return grid[at(i + (nx + 1) * j)]; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      if (!triangles) {
        model.add_element(Shape::quad4, property, {a, b, c, d});
      } else if ((i + j) % 2 == 0) {  // diagonals alternate, so that the mesh prefers no direction
        model.add_element(Shape::tria3, property, {a, b, c});
        model.add_element(Shape::tria3, property, {a, c, d});
      } else {
        model.add_element(Shape::tria3, property, {a, b, d});
        model.add_element(Shape::tria3, property, {b, c, d});
      }
    }
}

void add_bricks(Model& model, const std::vector<int>& grid, int nx, int ny, int nz, int property, Shape shape) {
  const auto node = [&](int i, int j, int k) { return grid[at(i + (nx + 1) * (j + (ny + 1) * k))]; };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const std::array<int, 8> c = {
            node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
            node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        if (shape == Shape::hex8) {
          model.add_element(shape, property, {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]});
        } else if (shape == Shape::wedge6) {
          model.add_element(shape, property, {c[0], c[1], c[2], c[4], c[5], c[6]});
          model.add_element(shape, property, {c[0], c[2], c[3], c[4], c[6], c[7]});
        } else if (shape == Shape::tet4) {
          // Six tetrahedra around the diagonal 0-6: the same split in every brick, so that faces match.
          for (const auto& [p, q] : {std::pair{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}})
            model.add_element(shape, property, {c[0], c[at(p)], c[at(q)], c[6]});
        } else {
          demand(false, "bricks are split into hex8, wedge6 or tet4");
        }
      }
}

BoxRingOptions::BoxRingOptions() {
  // Nominal values of a rear subframe (Gibanica, Abrahamsson and Olsson 2020, table 5): x and y stiff, z soft.
  const std::array<double, 6> front = {2.26e6, 8.33e6, 1.52e6, 3300.0, 930.0, 1800.0},
                              rear = {5.9e6, 6.1e6, 1.53e6, 2400.0, 2400.0, 1750.0};
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t c = 0; c < 6; ++c) stiffness[b][c] = (b < 2 ? front : rear)[c];
}

std::array<std::array<double, 6>, 4> box_ring_found_stiffness() {
  // The same table, first specimen.
  return {{{2.551e6, 12.366e6, 2.298e6, 4470.0, 1390.0, 1550.0},
           {2.621e6, 9.557e6, 2.406e6, 4450.0, 1330.0, 1310.0},
           {7.080e6, 8.540e6, 2.619e6, 3830.0, 3200.0, 1110.0},
           {7.080e6, 14.253e6, 2.686e6, 3790.0, 3280.0, 1180.0}}};
}

std::vector<Parameter> box_ring_parameters(const BoxRing& ring) {
  std::vector<Parameter> out;
  for (const Spring& spring : ring.model.springs)
    for (int c = 0; c < 6; ++c)
      out.push_back({"p" + std::to_string(out.size() + 1), ParameterKind::spring, {spring.label}, c});
  return out;
}

BoxRing make_box_ring(const BoxRingOptions& options) {
  const double h = options.width / options.cells;
  const int nx = static_cast<int>(std::lround(options.length / h)),
            ny = static_cast<int>(std::lround(options.breadth / h)), w = options.cells;
  if (w < 1 || nx < 3 * w || ny < 3 * w)
    throw_bad_input("box ring", "the ring is not three times as long and broad as its section",
                    "choose a smaller width");
  BoxRing out;
  Model& model = out.model;
  model.name = "box ring on four bushings";
  const int shell = model.add_shell_property(model.add_material(210e9, 0.3, 7850.0), options.thickness);

  // Nodes of the lattice that some wall uses, made when first asked for.
  std::map<std::array<int, 3>, int> made;
  const auto node = [&](int i, int j, int k) {
    const auto [place, fresh] = made.emplace(std::array{k, j, i}, 0);
    if (fresh) place->second = model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1, {i * h, j * h, k * h});
    return place->second;
  };
  model.elements.reserve(at(8 * w * (nx + ny)));
  for (const int k : {0, w})
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        if (i < w || i >= nx - w || j < w || j >= ny - w)
          model.add_element(Shape::quad4, shell,
                            {node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)});
  const auto walls = [&](int x0, int x1, int y0, int y1) {
    for (int k = 0; k < w; ++k) {
      for (const int j : {y0, y1})
        for (int i = x0; i < x1; ++i)
          model.add_element(Shape::quad4, shell,
                            {node(i, j, k), node(i + 1, j, k), node(i + 1, j, k + 1), node(i, j, k + 1)});
      for (const int i : {x0, x1})
        for (int j = y0; j < y1; ++j)
          model.add_element(Shape::quad4, shell,
                            {node(i, j, k), node(i, j + 1, k), node(i, j + 1, k + 1), node(i, j, k + 1)});
    }
  };
  walls(0, nx, 0, ny);
  walls(w, nx - w, w, ny - w);
  for (const auto& [i, j] : {std::pair{nx / 4, 0},
                             {nx / 2, 0},
                             {3 * nx / 4, 0},
                             {nx, ny / 2},
                             {3 * nx / 4, ny},
                             {nx / 2, ny},
                             {nx / 4, ny},
                             {0, ny / 2}})
    out.ring_nodes.push_back(node(i, j, w));

  for (int b = 0; b < 4; ++b) {
    const int i0 = b == 1 || b == 2 ? nx - w : 0, j0 = b >= 2 ? ny - w : 0;
    const Eigen::Vector3d place((i0 + 0.5 * w) * h, (j0 + 0.5 * w) * h, options.width);
    RigidLink link;
    link.label = 1000001 + b;
    for (int j = 0; j <= w; ++j)
      for (int i = 0; i <= w; ++i) link.dependents.push_back(node(i0 + i, j0 + j, w));
    link.master = out.patch_nodes[at(b)] = model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1, place);
    const int mass_node = out.mass_nodes[at(b)] =
        model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1, place);
    model.rigid_links.push_back(std::move(link));
    Spring spring;
    spring.label = spring.property = 2000001 + b;
    spring.a = out.patch_nodes[at(b)], spring.b = mass_node;
    spring.point = place;
    spring.stiffness = Eigen::Map<const Vector6>(options.stiffness[at(b)].data());
    model.springs.push_back(spring);
    PointMass mass;
    mass.label = 3000001 + b;
    mass.node = mass_node;
    mass.mass = options.mass[at(b)];
    mass.offset = Eigen::Vector3d(0.012 - 0.006 * b, 0.008 * (b % 2 ? -1 : 1), 0.02 + 0.004 * b);
    const double inertia = 0.4 * mass.mass * 0.045 * 0.045;
    mass.inertia = Eigen::Vector3d(inertia, 1.2 * inertia, 0.9 * inertia).asDiagonal();
    model.masses.push_back(mass);
    // The tip lies on the far side of the centre of gravity, outside of the ring.
    const Eigen::Vector3d tip = place + Eigen::Vector3d(b == 1 || b == 2 ? 0.05 : -0.05, b >= 2 ? 0.045 : -0.045, 0.06);
    RigidLink arm;
    arm.label = 1000005 + b;
    arm.master = mass_node;
    arm.dependents = {out.tip_nodes[at(b)] = model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1, tip)};
    model.rigid_links.push_back(std::move(arm));
  }
  const auto add_translations = [&](int n, std::vector<Dof>& dofs) {
    for (int c = 1; c <= 3; ++c) dofs.push_back({model.nodes[at(n)].label, c, {}});
  };
  for (const int n : out.ring_nodes) add_translations(n, out.outputs);
  for (const int n : out.tip_nodes) add_translations(n, out.outputs), add_translations(n, out.inputs);
  return out;
}

}  // namespace kdyn::fe
