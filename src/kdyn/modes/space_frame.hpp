// SPDX-License-Identifier: Apache-2.0
// A small space frame: straight beams, rigid masses and six-direction springs between nodes, as full matrices. A
// structure to rehearse a modal test on, and the test structure of this module. Real structures come as matrices from
// an FE program.
//
// Beam: Euler-Bernoulli with torsion, consistent mass; six degrees of freedom per node in the order X Y Z RX RY RZ,
// global axes, SI.
// Elements are those of fe: [fe E9] [fe E10] [fe E17] [fe E18].
// No shear flexibility, no rotary inertia of the section except about the axis; good for slender members and low modes.
#pragma once

#include <array>
#include <vector>

#include "kdyn/data/dof.hpp"
#include "kdyn/data/geometry.hpp"
#include "kdyn/modes/fe_body.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

struct BeamSection {
  double youngs_modulus = 210e9, shear_modulus = 81e9, density = 7850.0;  // Pa, Pa, kg/m^3
  double area = 0.0, inertia_y = 0.0, inertia_z = 0.0, torsion = 0.0;  // m^2, m^4 about the local axes across the beam
};
BeamSection box_section(double height, double width, double wall);  // closed thin box, m

class SpaceFrame {
 public:
  // Returns the index of the node.
  int add_node(std::array<double, 3> position);
  void add_beam(int a, int b, const BeamSection& section, std::array<double, 3> up = {0.0, 0.0, 1.0});
  // Mass and inertia about the centre of gravity, which lies at `offset` from the node.
  void add_mass(int node, double mass, std::array<double, 3> inertia, std::array<double, 3> offset = {0.0, 0.0, 0.0});
  void add_spring(int a, int b, const std::array<double, 6>& stiffness);  // N/m, N*m/rad
  void add_ground_spring(int node, const std::array<double, 6>& stiffness);

  int nodes() const { return static_cast<int>(positions_.size()); }
  const std::vector<std::array<double, 3>>& positions() const { return positions_; }
  const Eigen::MatrixXd& mass() const { return mass_; }
  const Eigen::MatrixXd& stiffness() const { return stiffness_; }
  FeModel model() const;          // the same, sparse
  std::vector<Dof> dofs() const;  // node labels 1, 2, ...
  Geometry geometry() const;      // beams and springs as lines

 private:
  void grow();
  std::vector<std::array<double, 3>> positions_;
  std::vector<std::array<int, 2>> members_;
  Eigen::MatrixXd mass_, stiffness_;
};

// A rectangular ring of box beams, 0.9 x 0.66 m, with a bushing (six stiffnesses) and a mass with three arms at each
// corner: 24 bushing stiffnesses, free. The masses differ, so that no two modes coincide. `factor` multiplies the
// stiffnesses bushing by bushing (empty: all 1).
struct BushingFrame {
  SpaceFrame frame;
  std::vector<int> ring_nodes, mass_nodes, arm_nodes;  // indices; three arms for each mass
};
BushingFrame make_bushing_frame(int beams_per_side, const std::vector<double>& factor = {});

}  // namespace kdyn::inline modes
