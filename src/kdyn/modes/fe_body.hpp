// SPDX-License-Identifier: Apache-2.0
// Flexible body straight from mass and stiffness matrices.
//
//   [modes E16] Craig-Bampton: u = [Phi, -K_ii^-1 K_ib; 0, I] [eta; u_b], interface dofs b held for the normal modes Phi
//   [modes E17] free interface: free modes and, for each interface dof, the inertia-relief deflection under a unit force:
//               [K, M Phi_R; Phi_R^T M, 0] [x; mu] = [(I - M Phi_R Phi_R^T) f; 0]
// In both cases the reduced eigenproblem is solved and its rigid modes are left out, so that the shapes are orthonormal
// to the mass matrix and have no rigid content, as a floating frame of reference wants them. Matrices are handled in
// full: up to `max_dense_dofs`. Larger models are reduced by an FE program first.
#pragma once

#include <string>
#include <vector>

#include "kdyn/modes/flexible_body.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

inline constexpr int max_dense_dofs = 6000;

struct FeModel {
  Eigen::MatrixXd mass, stiffness;
  std::vector<Dof> dofs;
  Geometry geometry;
  std::string where;  // for messages
};

// Flexible modes of a model, or modes given without matrices.
struct FeModes {
  std::vector<Dof> dofs;
  Geometry geometry;
  Eigen::MatrixXd shapes;       // dofs x modes, mass-normalised
  Eigen::VectorXd eigenvalues;  // (rad/s)^2
  Eigen::MatrixXd mass;         // empty when only modes are known
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

}  // namespace kdyn::inline modes
