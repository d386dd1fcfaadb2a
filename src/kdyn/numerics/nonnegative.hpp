// SPDX-License-Identifier: Apache-2.0
// Least squares with unknowns that must not be negative: minimise |A x - b| with x >= 0 (Lawson and Hanson 1974, active set).
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn {

Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace kdyn
