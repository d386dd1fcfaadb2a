// SPDX-License-Identifier: Apache-2.0
// The small model a calibration works on, and the check that it is good enough where the calibration ended.
//
//   [update E13] error of a basis at p: largest |f_small / f_full - 1| of the elastic modes up to the top of the band, by one full solution there
// A basis of nominal modes alone biases parameters by per cents without any other sign of it; so the check is always
// made and always reported. Beyond `limit` the basis has to be rebuilt at p and the calibration continued.
#pragma once

#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/fe/reduce.hpp"

namespace kdyn::update {

inline constexpr double basis_error_limit = 1e-3;

struct BasisCheck {
  fe::BasisError error;
  bool good = true;
  std::vector<Finding> findings;  // "basis_error" when it is not
};
BasisCheck check_basis(const fe::AffineMatrices& matrices, const std::vector<int>& group_of,
                       const fe::ReducedModel& reduced, const Eigen::VectorXd& ratio, double max_frequency_hz,
                       double limit = basis_error_limit, fe::EigenSolver eigensolver = fe::EigenSolver::automatic);

// Full model with its channels, and the small model made from it.
struct Surrogate {
  fe::ReducedModel model;
  int modes = 0, attachments = 0, sensitivities = 0, dropped = 0;
};
Surrogate make_surrogate(const fe::AffineMatrices& matrices, const std::vector<int>& group_of,
                         const Eigen::MatrixXd& outputs, const Eigen::MatrixXd& inputs, const fe::BasisOptions& options,
                         const Eigen::VectorXd& ratio = {}, Progress& progress = silent_progress());

}  // namespace kdyn::update
