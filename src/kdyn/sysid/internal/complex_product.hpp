// SPDX-License-Identifier: Apache-2.0
// Products of large complex matrices as products of real ones, on two threads. The real kernel is several times as fast
// as the complex one, and operands that come again and again are laid out for it once.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline sysid::internal {

// [Re A; Im A]
Eigen::MatrixXd stacked_rows(const Eigen::MatrixXcd& A);
// [Re X, Im X; Im X, -Re X]
Eigen::MatrixXd paired_columns(const Eigen::MatrixXcd& X);

// A^H X from stacked_rows(A) and paired_columns(X).
Eigen::MatrixXcd adjoint_product(const Eigen::MatrixXd& stacked, const Eigen::MatrixXd& paired);

// A [X; conj X] for A with twice as many columns as X has rows.
Eigen::MatrixXcd product_with_mirrored(const Eigen::Ref<const Eigen::MatrixXcd>& A, const Eigen::MatrixXcd& X);

}  // namespace kdyn::inline sysid::internal
