// SPDX-License-Identifier: Apache-2.0
// Small models from large ones: projection that keeps the parameters, and bases to project on.
//
//   [fe E27] projection: K_q -> T^T K_q T for every affine term, so the small model follows the parameters as exactly as its basis allows
//   [fe E28] parametric basis: T = [modes; (K0 + s M0)^-1 b of every direction b of terms of low rank; (K0 + s M0)^-1 (K_s - lambda_r M_s) phi_r of
//            terms of distributed parameters], M-orthonormal
//   [fe E29] Guyan: T = [1; -K_ii^-1 K_ib]; Craig-Bampton: T = [1, 0; -K_ii^-1 K_ib, Phi_i] with interface dofs b and fixed-interface modes Phi_i
// Never trust a basis of nominal modes alone: it misses what a stiffer or softer spring does locally. basis_error()
// says by how much.
#pragma once

#include <string>
#include <vector>

#include "kdyn/fe/modes.hpp"

namespace kdyn::fe {

struct ReducedTerm {
  std::vector<int> exponents;  // as AffineTerm
  Eigen::MatrixXd matrix;      // symmetric, both triangles
};

// K(p), M(p) in full, small; outputs y = C q, inputs f = B u.
struct ReducedModel {
  std::vector<ReducedTerm> stiffness, mass;
  Eigen::MatrixXd C, B;  // outputs x size, size x inputs
  int parameters = 0;
  // [fe E45] Complex stiffness K + i sum eta_s L_s, eta_s = loss[s] ratio[s]: nominal loss factor of each parameter, 0 for
  // those that are none. Empty: none loses energy. The ratio of a loss factor in K and M is 1.
  Eigen::VectorXd loss;
  // Nominal damping ratios of the lowest elastic modes beside that: the last parameters are their factors.
  Eigen::VectorXd mode_damping;

  int size() const { return static_cast<int>(C.cols()); }
  Eigen::MatrixXd stiffness_at(const Eigen::VectorXd& ratio) const;
  Eigen::MatrixXd mass_at(const Eigen::VectorXd& ratio) const;
  // sum eta_s L_s and its derivative; zero matrices where nothing is lost.
  Eigen::MatrixXd loss_at(const Eigen::VectorXd& ratio) const;
  Eigen::MatrixXd loss_derivative(const Eigen::VectorXd& ratio, int index) const;
  bool loses() const { return loss.size() > 0; }
  // By ratio[index]; a zero matrix where the parameter does not act.
  Eigen::MatrixXd stiffness_derivative(const Eigen::VectorXd& ratio, int index) const;
  Eigen::MatrixXd mass_derivative(const Eigen::VectorXd& ratio, int index) const;
};

// [fe E27] Rows of `outputs` and columns of `inputs` act on the unknowns: y = outputs u, f = inputs u.
ReducedModel project(const AffineMatrices& matrices, const Eigen::MatrixXd& basis, const Eigen::MatrixXd& outputs,
                     const Eigen::MatrixXd& inputs);

struct BasisOptions {
  int modes = 40;
  int sensitivity_modes = 12;  // modes whose pseudo-loads are taken for distributed parameters
  int low_rank = 12;           // a term with at most this rank counts as a spring
  double shift_hz = 100.0;     // s of [fe E28]
  double drop = 1e-9;          // directions whose share of the Gram matrix is smaller are dropped
  int threads = 0;
  EigenSolver eigensolver = EigenSolver::automatic;
};
struct ParametricBasis {
  Eigen::MatrixXd vectors;  // unknowns x size
  Modes nominal;            // at the ratio the basis was made for
  int modes = 0, attachments = 0, sensitivities = 0, dropped = 0;
};
// [fe E28] at `ratio` (empty: nominal).
ParametricBasis parametric_basis(const AffineMatrices& matrices, const std::vector<int>& group_of,
                                 const BasisOptions& options, const Eigen::VectorXd& ratio = {},
                                 Progress& progress = silent_progress());

// Largest relative error of the frequencies up to `max_frequency_hz` that the reduced model makes at `ratio`, by a full
// solution there.
struct BasisError {
  double largest = 0.0;                 // relative
  Eigen::VectorXd full_hz, reduced_hz;  // elastic modes
};
BasisError basis_error(const AffineMatrices& matrices, const std::vector<int>& group_of, const ReducedModel& reduced,
                       const Eigen::VectorXd& ratio, double max_frequency_hz, int most_modes = 60, int threads = 0,
                       EigenSolver eigensolver = EigenSolver::automatic);

// Unknowns that words name: "12" all directions of a node, "12+Z" one; in the order of the words. Throws
// Error(bad_input) for a word that names none.
std::vector<int> interface_rows(const std::vector<std::string>& words, const std::vector<Dof>& dofs);

// [fe E29] with unknowns `interface`; modes = 0 is Guyan's reduction. First come the interface unknowns in their order.
// `group_of`: the node of each unknown (ascending), or empty; it makes large models cheaper.
Eigen::MatrixXd craig_bampton_basis(const SparseMatrix& stiffness, const SparseMatrix& mass,
                                    const std::vector<int>& interface, int modes,
                                    EigenSolver eigensolver = EigenSolver::automatic,
                                    const std::vector<int>& group_of = {});

// [fe E34] Deflections under unit forces at the unknowns `loaded`, in equilibrium with the inertia forces of the rigid
// modes (M-orthonormal columns of `rigid`, may be none) and without rigid content.
Eigen::MatrixXd inertia_relief(const SparseMatrix& stiffness, const SparseMatrix& mass, const Eigen::MatrixXd& rigid,
                               const std::vector<int>& loaded, const std::vector<int>& group_of = {});

}  // namespace kdyn::fe
