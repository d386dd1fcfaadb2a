// SPDX-License-Identifier: Apache-2.0
// Non-negative least squares: min |A x - b| with x >= 0, by the active-set method of Lawson and Hanson (1974). For
// small dense problems.
#pragma once

#include <Eigen/Core>

namespace kdyn::inline numerics {

Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace kdyn::inline numerics
