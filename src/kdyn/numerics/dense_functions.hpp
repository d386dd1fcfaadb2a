// SPDX-License-Identifier: Apache-2.0
// Frequent compositions of Eigen's dense operations as plain functions, compiled once. An expression such as
// `Z.transpose() * M * Z` or `qr.householderQ() * Identity` is compiled again in every source that writes it, at up to
// five seconds each.
#pragma once

#include <Eigen/Core>

namespace kdyn::inline numerics {

using ConstMatrixRef = Eigen::Ref<const Eigen::MatrixXd>;
using ConstComplexRef = Eigen::Ref<const Eigen::MatrixXcd>;

Eigen::MatrixXd product(const ConstMatrixRef& a, const ConstMatrixRef& b);             // a b
Eigen::MatrixXcd product(const ConstComplexRef& a, const ConstComplexRef& b);          // a b
Eigen::MatrixXd transposed_product(const ConstMatrixRef& a, const ConstMatrixRef& b);  // a^T b
Eigen::MatrixXcd adjoint_product(const ConstComplexRef& a, const ConstComplexRef& b);  // a^H b
Eigen::MatrixXd congruent(const ConstMatrixRef& z, const ConstMatrixRef& m);           // z^T m z
// The first columns of Q of the QR decomposition of `a`; count 0: as many as a has.
Eigen::MatrixXd first_columns_of_q(const Eigen::MatrixXd& a, Eigen::Index count = 0);
Eigen::MatrixXcd first_columns_of_q(const Eigen::MatrixXcd& a, Eigen::Index count = 0);
// Inverse of a symmetric matrix by its LDL^T decomposition.
Eigen::MatrixXd symmetric_inverse(const Eigen::MatrixXd& a);
// a x = b with LU decomposition.
Eigen::MatrixXcd solved(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b);
// Singular values below the largest one times n eps count as zero, n being the larger side.
Eigen::MatrixXcd pseudo_inverse(const Eigen::MatrixXcd& a);
Eigen::MatrixXd least_norm_solution(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace kdyn::inline numerics
