// SPDX-License-Identifier: Apache-2.0
// Shapes at sensors carried over to all degrees of freedom of an FE model.
//
//   [modes E11] SEREP: Psi_f = Phi_f Phi_b^+ Psi_b. Also at the sensors: noise that no FE mode explains is smoothed away
//   [modes E12] penalised: psi_f = Phi_f q, q = argmin |Phi_b q - psi|^2/s^2 + |((Lambda - lambda)/lambda) q|^2, s the noise of a reading,
//               lambda the test eigenvalue: FE modes far in frequency cost, so that the basis may be large
//   [modes E13] basis size of SEREP: the smallest n with |Psi - Phi_b Phi_b^+ Psi|/|Psi| <= 1.5 noise where the noise is known; else the n
//               that predicts sensors it has not seen best (ten groups left out in turn)
// SEREP stands and falls with the basis size: too few modes cannot bend like the structure, too many follow the noise.
#pragma once

#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

enum class ExpandMethod { serep, penalised };

struct ExpandOptions {
  ExpandMethod method = ExpandMethod::serep;
  int basis_size = 0;  // FE modes; 0: chosen from the data (SEREP) or all (penalised)
  double noise = 0.0;  // relative to the rms of a shape; 0: unknown
};

struct ExpandResult {
  Eigen::MatrixXd shapes;    // all dofs x modes
  Eigen::MatrixXd smoothed;  // measured dofs x modes
  int basis_size = 0;
  std::string reason;                    // why this size
  double misfit = 0.0;                   // |Psi - smoothed|/|Psi|
  double hold_out = 0.0;                 // |Psi - predicted|/|Psi| with every sensor predicted from the others
  Eigen::VectorXd hold_out_by_dof;       // relative to the rms of the sensors
  std::vector<double> hold_out_by_size;  // for SEREP of 1 .. n modes; infinite where not tried
};

// at_sensors: FE modes as the sensors see them, sensors x n; fe_shapes: all dofs x n, mass-normalised flexible modes by
// frequency.
ExpandResult expand(const Eigen::MatrixXd& test, const Eigen::VectorXd& test_eigenvalues,
                    const Eigen::MatrixXd& at_sensors, const Eigen::MatrixXd& fe_shapes,
                    const Eigen::VectorXd& fe_eigenvalues, const ExpandOptions& options);

// The basis size of [modes E13] alone, for use before orthonormalising.
int choose_basis_size(const Eigen::MatrixXd& test, const Eigen::MatrixXd& basis, double noise, std::string& reason,
                      std::vector<double>* hold_out_by_size = nullptr);

}  // namespace kdyn::inline modes
