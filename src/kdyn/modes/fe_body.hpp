// SPDX-License-Identifier: Apache-2.0
// Flexible body straight from mass and stiffness matrices, sparse and of any size.
//
//   [modes E16] Craig-Bampton: fixed-interface modes and constraint modes, [fe E29]
//   [modes E17] free interface: free modes and, for each interface dof, the inertia-relief deflection under a unit
//               force, [fe E34]
// In both cases the reduced eigenproblem is solved and its rigid modes are left out, so that the shapes are orthonormal
// to the mass matrix and have no rigid content, as a floating frame of reference wants them.
#pragma once

#include <string>
#include <vector>

#include "kdyn/fe/assemble.hpp"
#include "kdyn/modes/flexible_body.hpp"

namespace kdyn::inline modes {

struct FeModel {
  fe::SparseMatrix mass, stiffness;  // lower triangles
  std::vector<Dof> dofs;             // of the rows
  std::vector<int> group_of;         // rows of one node have one number, ascending; may be empty
  Geometry geometry;
  std::string where;  // for messages
};

// Flexible modes of a model, or modes given without matrices.
struct FeModes {
  std::vector<Dof> dofs;
  Geometry geometry;
  Eigen::MatrixXd shapes;       // dofs x modes, mass-normalised
  Eigen::VectorXd eigenvalues;  // (rad/s)^2
  fe::SparseMatrix mass;        // lower triangle; empty when only modes are known
  RigidBodyProperties rigid;    // where a mass matrix tells
};
FeModes fe_modes(const FeModel& model, int count);
// Real parts of a mode set of unit modal mass (or with modal masses); rigid modes are left out.
FeModes fe_modes(const ModeSet& set, const std::string& where);

enum class BodyMethod { craig_bampton, free_interface, normal_modes };

struct FeBodyOptions {
  BodyMethod method = BodyMethod::craig_bampton;
  int modes = 20;                              // normal modes in the basis
  std::vector<std::string> interface_nodes{};  // node labels: "12" all six directions, "12+Z" one
  double damping = 0.01;                       // ratio, all modes
  double max_frequency_hz = 0.0;               // modes of the reduced body above are left out; 0: all
};

FlexibleBody fe_body(const FeModel& model, const FeBodyOptions& options);

// [modes E15] of R^T M R with the rigid motions R of the points, [fe E33].
RigidBodyProperties rigid_properties(const fe::SparseMatrix& mass, const std::vector<Dof>& dofs,
                                     const Geometry& geometry);

}  // namespace kdyn::inline modes
