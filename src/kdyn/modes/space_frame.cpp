// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/space_frame.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/beam.hpp"

namespace kdyn::inline modes {
BeamSection box_section(double height, double width, double wall) {
  BeamSection s;
  const double hi = height - 2.0 * wall, wi = width - 2.0 * wall;
  s.area = height * width - hi * wi;
  s.inertia_y = (width * height * height * height - wi * hi * hi * hi) / 12.0;
  s.inertia_z = (height * width * width * width - hi * wi * wi * wi) / 12.0;
  // Bredt: 4 A_m^2 t / circumference of the middle line.
  const double hm = height - wall, wm = width - wall;
  s.torsion = 4.0 * hm * hm * wm * wm * wall / (2.0 * (hm + wm));
  return s;
}

void SpaceFrame::grow() {
  const Eigen::Index n = 6 * static_cast<Eigen::Index>(positions_.size()), old = mass_.rows();
  mass_.conservativeResize(n, n);
  stiffness_.conservativeResize(n, n);
  for (Eigen::MatrixXd* A : {&mass_, &stiffness_}) {
    A->rightCols(n - old).setZero();
    A->bottomRows(n - old).setZero();
  }
}

int SpaceFrame::add_node(std::array<double, 3> position) {
  positions_.push_back(position);
  grow();
  return nodes() - 1;
}

void SpaceFrame::add_beam(int a, int b, const BeamSection& section, std::array<double, 3> up) {
  const Eigen::Vector3d pa(positions_[static_cast<std::size_t>(a)].data()),
      pb(positions_[static_cast<std::size_t>(b)].data()), u(up.data());
  const Eigen::Vector3d y = u.cross(pb - pa);
  demand((pb - pa).norm() > 0.0, "a beam has a length");
  demand(y.norm() > 0.0, "the up direction of a beam is not along it");
  // Plane 1 of the element holds the local axes x and y.
  fe::Property property;
  property.area = section.area;
  property.inertia_1 = section.inertia_z;
  property.inertia_2 = section.inertia_y;
  property.torsion = section.torsion;
  fe::Material material;
  material.young = section.youngs_modulus;
  material.shear = section.shear_modulus;
  material.density = section.density;
  fe::Element element;
  element.shape = fe::Shape::beam;
  element.orientation = y;
  const fe::BeamMatrices beam = fe::beam_element(pa, pb, element, property, material, true);
  const std::array<int, 2> ends = {a, b};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Eigen::Index r = 6 * ends[static_cast<std::size_t>(i)], c = 6 * ends[static_cast<std::size_t>(j)];
      stiffness_.block<6, 6>(r, c) += beam.stiffness.block<6, 6>(6 * i, 6 * j);
      mass_.block<6, 6>(r, c) += beam.mass.block<6, 6>(6 * i, 6 * j);
    }
  members_.push_back({a, b});
}

void SpaceFrame::add_mass(int node, double mass, std::array<double, 3> inertia, std::array<double, 3> offset) {
  fe::PointMass rigid;
  rigid.mass = mass;
  rigid.offset = Eigen::Vector3d(offset.data());
  rigid.inertia = Eigen::Vector3d(inertia.data()).asDiagonal();
  mass_.block<6, 6>(6 * node, 6 * node) += fe::point_mass(rigid);
}

void SpaceFrame::add_spring(int a, int b, const std::array<double, 6>& stiffness) {
  demand(positions_[static_cast<std::size_t>(a)] == positions_[static_cast<std::size_t>(b)],
         "a spring joins two nodes at one place, else it would resist a rotation of the whole");
  fe::Spring spring;
  spring.point = Eigen::Vector3d(positions_[static_cast<std::size_t>(a)].data());
  const Eigen::Matrix<double, 12, 6> along = fe::spring_directions(spring, spring.point, spring.point);
  const fe::Matrix12 K = along * Eigen::Map<const fe::Vector6>(stiffness.data()).asDiagonal() * along.transpose();
  const std::array<int, 2> ends = {a, b};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      stiffness_.block<6, 6>(6 * ends[static_cast<std::size_t>(i)], 6 * ends[static_cast<std::size_t>(j)]) +=
          K.block<6, 6>(6 * i, 6 * j);
  members_.push_back({a, b});
}

void SpaceFrame::add_ground_spring(int node, const std::array<double, 6>& stiffness) {
  for (int i = 0; i < 6; ++i) stiffness_(6 * node + i, 6 * node + i) += stiffness[static_cast<std::size_t>(i)];
}

FeModel SpaceFrame::model() const {
  FeModel out;
  out.mass = Eigen::MatrixXd(mass_.triangularView<Eigen::Lower>()).sparseView();
  out.stiffness = Eigen::MatrixXd(stiffness_.triangularView<Eigen::Lower>()).sparseView();
  out.dofs = dofs();
  out.geometry = geometry();
  out.where = "frame";
  return out;
}

std::vector<Dof> SpaceFrame::dofs() const {
  std::vector<Dof> out;
  for (int node = 0; node < nodes(); ++node)
    for (int direction = 1; direction <= 6; ++direction) out.push_back({node + 1, direction, ""});
  return out;
}

Geometry SpaceFrame::geometry() const {
  Geometry out;
  out.name = "space frame";
  for (int i = 0; i < nodes(); ++i) {
    GeometryNode node;
    node.label = i + 1;
    node.position = positions_[static_cast<std::size_t>(i)];
    out.nodes.push_back(node);
  }
  TraceLine line;
  line.label = 1;
  line.name = "members";
  for (const auto& member : members_) {
    line.nodes.push_back(member[0] + 1);
    line.nodes.push_back(member[1] + 1);
    line.nodes.push_back(0);
  }
  out.lines.push_back(line);
  return out;
}

BushingFrame make_bushing_frame(int beams_per_side, const std::vector<double>& factor) {
  BushingFrame out;
  SpaceFrame& frame = out.frame;
  const std::array<std::array<double, 2>, 4> corner = {{{0.0, 0.0}, {0.9, 0.0}, {0.9, 0.66}, {0.0, 0.66}}};
  const std::array<double, 4> mass = {2.9, 3.3, 3.7, 4.1};
  const BeamSection section = box_section(0.05, 0.04, 0.002);
  for (std::size_t side = 0; side < 4; ++side) {
    const auto &a = corner[side], &b = corner[(side + 1) % 4];
    for (int i = 0; i < beams_per_side; ++i) {
      const double s = static_cast<double>(i) / beams_per_side;
      // The cross members are bowed a little out of the plane, as pressed parts are: in-plane and out-of-plane motion
      // couple.
      const double z = side % 2 == 0 ? 0.05 * std::sin(3.14159265358979 * s) : 0.02 * std::sin(3.14159265358979 * s);
      out.ring_nodes.push_back(frame.add_node({a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), z}));
    }
  }
  const std::size_t count = out.ring_nodes.size();
  for (std::size_t i = 0; i < count; ++i) frame.add_beam(out.ring_nodes[i], out.ring_nodes[(i + 1) % count], section);
  for (std::size_t c = 0; c < 4; ++c) {
    const int ring = out.ring_nodes[c * static_cast<std::size_t>(beams_per_side)];
    const auto position = frame.positions()[static_cast<std::size_t>(ring)];
    const int node = frame.add_node(position);
    out.mass_nodes.push_back(node);
    // Arms to stick sensors on: the rotations of a mass show in the translations of their tips.
    const double dx = c == 0 || c == 3 ? -0.07 : 0.07, dy = c < 2 ? -0.07 : 0.07;
    const auto at = frame.positions()[static_cast<std::size_t>(node)];
    const BeamSection arm = box_section(0.03, 0.03, 0.003);
    for (const std::array<double, 3>& tip : {std::array<double, 3>{dx, 0.0, 0.0}, {0.0, dy, 0.0}, {0.0, 0.0, 0.06}}) {
      out.arm_nodes.push_back(frame.add_node({at[0] + tip[0], at[1] + tip[1], at[2] + tip[2]}));
      frame.add_beam(node, out.arm_nodes.back(), arm,
                     tip[2] != 0.0 ? std::array<double, 3>{1.0, 0.0, 0.0} : std::array<double, 3>{0.0, 0.0, 1.0});
    }
    const double J = 0.4 * mass[c] * 0.04 * 0.04;
    frame.add_mass(node, mass[c], {J, 1.2 * J, 0.9 * J}, {0.004, -0.006, 0.01 + 0.002 * static_cast<double>(c)});
    // Front and rear bushings differ; rotations are stiff enough to keep the masses from tumbling below the band.
    const double scale = c < 2 ? 1.0 : 1.35;
    std::array<double, 6> k = {9.0e5 * scale, 1.3e6 * scale,  7.0e5 * scale,
                               900.0 * scale, 1100.0 * scale, 1400.0 * scale};
    for (std::size_t i = 0; i < 6; ++i)
      if (!factor.empty()) k[i] *= factor[(6 * c + i) % factor.size()];
    frame.add_spring(ring, node, k);
  }
  return out;
}

}  // namespace kdyn::inline modes
