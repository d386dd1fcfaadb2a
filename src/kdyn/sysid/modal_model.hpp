// SPDX-License-Identifier: Apache-2.0
// A linear system as poles with rank-one residues and a real direct term:
//
//   H(s) = sum_r [ c_r b_r^T/(s - lambda_r) + conj(c_r b_r^T)/(s - conj lambda_r) ] + D      [sysid E1]
//
// Poles with Im > 0 stand for themselves and their conjugate; a real pole (Im = 0) stands for itself and has real c and
// b. It is the exchange form of the module: subspace identification, pole refinement, equalisation and mode shapes all
// speak it, and `state_space` turns it into real continuous matrices with A block diagonal.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline sysid {

// What a pole is there for. Residual poles stand for what lies outside the band; only modes are reported as modes.
enum class PoleRole { mode, residual_below, residual_above, other };

const char* to_string(PoleRole role);

struct ModalModel {
  Eigen::VectorXcd poles;       // rad/s, Im >= 0
  std::vector<PoleRole> roles;  // one per pole
  Eigen::MatrixXcd C;           // outputs x poles
  Eigen::MatrixXcd B;           // poles x inputs
  Eigen::MatrixXd D;            // outputs x inputs

  Eigen::Index outputs() const { return C.rows(); }
  Eigen::Index inputs() const { return B.cols(); }
  Eigen::Index order() const;  // number of states: two for a pair, one for a real pole
  std::vector<Eigen::Index> of_role(PoleRole role) const;
  Eigen::MatrixXcd residue(Eigen::Index pole) const { return C.col(pole) * B.row(pole); }
};

// Continuous-time real matrices, x' = A x + B u, y = C x + D u.
struct StateSpace {
  Eigen::MatrixXd A, B, C, D;
};

// [sysid E2] blocks [[Re, -Im], [Im, Re]] of lambda, B = [Re b; Im b], C = [2 Re c, -2 Im c], up to the scaling that
// balances |c| and |b|.
StateSpace state_space(const ModalModel& model);

// Lines x (outputs * inputs), columns as in FrfMatrix.
Eigen::MatrixXcd synthesise(const ModalModel& model, const Eigen::VectorXd& omega);
Eigen::MatrixXcd synthesise(const StateSpace& system, const Eigen::VectorXd& omega);

// Undamped frequency |lambda|/2 pi and damping ratio -Re lambda/|lambda|. [sysid E3]
double frequency_hz(std::complex<double> pole);
double damping_ratio(std::complex<double> pole);

// Poles with Re >= 0 are reflected into the left half plane; returns how many. A pole on the axis gets damping 1e-9.
int make_stable(Eigen::VectorXcd& poles);

// Sorted by frequency, modes first, then residual poles.
void sort_poles(ModalModel& model);

}  // namespace kdyn::inline sysid
