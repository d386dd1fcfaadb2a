// SPDX-License-Identifier: Apache-2.0
// Test modes made orthonormal with the help of an FE model (Kim and Kim, paper K), and the rule that says which way.
//
// Phi_b: FE modes (mass-normalised, flexible) at the measured degrees of freedom, Lambda their eigenvalues, Psi the
// test modes there.
//   [modes E5] q = Phi_b^+ Psi; M_e = q^T q, K_e = q^T Lambda q: the test modes as the FE model's mass and stiffness see them
//   [modes E6] scaling: Psi~ = Psi diag(M_e)^(-1/2)
//   [modes E7] rotation of the paper: K_e Q = M_e Q diag, Psi_bar = Psi~ Q (with the scaled modes; the paper prints Psi)
//   [modes E8] Loewdin: Psi_bar = Psi~ M_e^(-1/2), the orthonormal set nearest to the measured one
//   [modes E9] Gram-Schmidt in the order given: Psi_bar = Psi~ R^-1, M_e = R^T R
//   [modes E10] rule: the rotation is taken when each of its modes still is a measured one, min over modes of max MAC(Psi_bar, Psi) >= 0.7;
//              otherwise modes of a cluster were mixed by the wrong stiffness of the FE model, and Loewdin is taken
// Frequencies and damping stay those of the test: the eigenvalues of (K_e, M_e) carry the FE model's error.
#pragma once

#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

enum class OrthoMethod { automatic, rotation, loewdin, gram_schmidt, none };
const char* to_string(OrthoMethod method);
const char* in_words(OrthoMethod method);  // as a reader of a report spells it

struct OrthoResult {
  OrthoMethod used = OrthoMethod::none;
  std::string reason;
  Eigen::MatrixXd shapes;       // measured dofs x modes
  Eigen::MatrixXd mass_before;  // M_e of the scaled modes: how far from orthogonal the test was
  Eigen::MatrixXd mass_after;
  double rotation_mac = 0.0;    // the number the rule looks at
  double largest_before = 0.0;  // largest off-diagonal of mass_before
};

// [modes E5] scaled to unit modal mass: how much of each mode of the basis is in each test mode, n x modes. q^T q is the
// orthogonality of the test modes, q itself their cross-orthogonality with the modes of the basis.
Eigen::MatrixXd modal_coordinates(const Eigen::MatrixXd& test, const Eigen::MatrixXd& basis);

// basis: Phi_b, dofs x n; eigenvalues: of length n, (rad/s)^2.
OrthoResult orthonormalise(const Eigen::MatrixXd& test, const Eigen::MatrixXd& basis,
                           const Eigen::VectorXd& eigenvalues, OrthoMethod method, double rotation_limit = 0.7);

}  // namespace kdyn::inline modes
