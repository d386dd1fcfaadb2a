// SPDX-License-Identifier: Apache-2.0
// The matrix doctor: what is wrong with the matrices of a model, in plain words and with a remedy.
//
//   [fe E30] a rigid motion r costs the energy r^T K r; relative to sum K_ii r_i^2 it is at rounding level when nothing holds it
// Looks for motions without stiffness and mass, negative diagonals, massless motions, the number of rigid motions, and
// units that no real part has. Needs points for rigid motions and units; without, it leaves these out.
#pragma once

#include "kdyn/data/geometry.hpp"
#include "kdyn/fe/modes.hpp"

namespace kdyn::fe {

struct Diagnosis {
  std::vector<Finding> findings;
  double mass = 0.0;                                  // kg; 0 when points are not known
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   // of gravity, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre, global axes, kg*m^2
  bool whole_mass = false;                            // held motions count too; false: mass of the free motions only
  int rigid_motions = -1;                             // independent motions that cost no energy; -1: not known
  int massless = 0;                                   // rows with stiffness and without mass
};

// [fe E33] The six motions of the whole as a rigid body, about the origin: columns X Y Z RX RY RZ. A row whose point or
// cartesian axes are not known is zero.
struct RigidMotions {
  Eigen::MatrixXd rows;
  bool complete = true;  // all rows are known
};
RigidMotions rigid_motions(const std::vector<Dof>& dofs, const Geometry& geometry);

// `rigid_mass`: that of the whole as a rigid body about the origin, where a model knows it (Assembly::rigid_mass);
// otherwise it follows from the free motions.
Diagnosis examine(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<Dof>& dofs,
                  const Geometry& geometry, const std::string& where,
                  const Eigen::Matrix<double, 6, 6>* rigid_mass = nullptr);
// Once modes are known: more zero frequencies than rigid motions are a mechanism.
void examine_modes(const Modes& modes, const std::vector<Dof>& dofs, const std::string& where, Diagnosis& diagnosis);

}  // namespace kdyn::fe
