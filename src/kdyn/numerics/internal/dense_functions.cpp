// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/dense_functions.hpp"

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline numerics {
namespace {

template <class Matrix>
Matrix columns_of_q(const Matrix& a, Eigen::Index count) {
  const Eigen::HouseholderQR<Matrix> qr(a);
  return qr.householderQ() * Matrix::Identity(a.rows(), count > 0 ? count : a.cols());
}

// V diag(1/s) U^H b over the singular values that count.
template <class Matrix>
Matrix through_svd(const Matrix& a, const Matrix& b) {
  const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& s = svd.singularValues();
  const double floor =
      s.size() > 0 ? s[0] * static_cast<double>(std::max(a.rows(), a.cols())) * std::numeric_limits<double>::epsilon()
                   : 0.0;
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > floor) ++rank;
  Matrix rows = Matrix(svd.matrixU().leftCols(rank)).adjoint() * b;
  for (Eigen::Index i = 0; i < rank; ++i) rows.row(i) /= s[i];
  return Matrix(svd.matrixV().leftCols(rank)) * rows;
}

}  // namespace

Eigen::MatrixXd product(const ConstMatrixRef& a, const ConstMatrixRef& b) { return a * b; }
Eigen::MatrixXcd product(const ConstComplexRef& a, const ConstComplexRef& b) { return a * b; }
Eigen::MatrixXd transposed_product(const ConstMatrixRef& a, const ConstMatrixRef& b) { return a.transpose() * b; }
Eigen::MatrixXcd adjoint_product(const ConstComplexRef& a, const ConstComplexRef& b) { return a.adjoint() * b; }
Eigen::MatrixXd congruent(const ConstMatrixRef& z, const ConstMatrixRef& m) {
  return product(transposed_product(z, m), z);
}
Eigen::MatrixXd first_columns_of_q(const Eigen::MatrixXd& a, Eigen::Index count) { return columns_of_q(a, count); }
Eigen::MatrixXcd first_columns_of_q(const Eigen::MatrixXcd& a, Eigen::Index count) { return columns_of_q(a, count); }
Eigen::MatrixXd symmetric_inverse(const Eigen::MatrixXd& a) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(a.rows(), a.cols());
  return a.ldlt().solve(identity);
}
Eigen::MatrixXcd solved(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b) { return a.partialPivLu().solve(b); }
Eigen::MatrixXcd pseudo_inverse(const Eigen::MatrixXcd& a) {
  const Eigen::MatrixXcd identity = Eigen::MatrixXcd::Identity(a.rows(), a.rows());
  return through_svd(a, identity);
}
Eigen::MatrixXd least_norm_solution(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return through_svd(a, b); }

}  // namespace kdyn::inline numerics
