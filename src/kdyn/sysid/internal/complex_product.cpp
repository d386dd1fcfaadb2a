// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/internal/complex_product.hpp"

#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::inline sysid::internal {
namespace {

constexpr int parts = 2;  // fixed: rounding must not depend on the machine

}  // namespace

Eigen::MatrixXd stacked_rows(const Eigen::MatrixXcd& A) {
  Eigen::MatrixXd out(2 * A.rows(), A.cols());
  out.topRows(A.rows()) = A.real();
  out.bottomRows(A.rows()) = A.imag();
  return out;
}

Eigen::MatrixXd paired_columns(const Eigen::MatrixXcd& X) {
  const Eigen::Index n = X.rows(), c = X.cols();
  Eigen::MatrixXd out(2 * n, 2 * c);
  out.topLeftCorner(n, c) = X.real();
  out.topRightCorner(n, c) = X.imag();
  out.bottomLeftCorner(n, c) = X.imag();
  out.bottomRightCorner(n, c) = -X.real();
  return out;
}

Eigen::MatrixXcd adjoint_product(const Eigen::MatrixXd& stacked, const Eigen::MatrixXd& paired) {
  const Eigen::Index c = paired.cols() / 2;
  Eigen::MatrixXcd out(stacked.cols(), c);
  for_each_index(parts, 0, [&](int part) {
    // One thread makes the real parts, the other the imaginary ones.
    const Eigen::MatrixXd half = stacked.transpose() * paired.middleCols(part * c, c);
    if (part == 0)
      out.real() = half;
    else
      out.imag() = half;
  });
  return out;
}

Eigen::MatrixXcd product_with_mirrored(const Eigen::Ref<const Eigen::MatrixXcd>& A, const Eigen::MatrixXcd& X) {
  const Eigen::Index m = X.rows();
  // A1 X + A2 conj X = (A1 + A2) Re X + i (A1 - A2) Im X.
  const Eigen::MatrixXcd sum = A.leftCols(m) + A.middleCols(m, m), difference = A.leftCols(m) - A.middleCols(m, m);
  const Eigen::MatrixXd rows = stacked_rows(X);
  Eigen::MatrixXcd out(A.rows(), X.cols());
  for_each_index(parts, 0, [&](int part) {
    Eigen::MatrixXd left(A.rows(), 2 * m);
    if (part == 0)
      left << sum.real(), -difference.imag();
    else
      left << sum.imag(), difference.real();
    const Eigen::MatrixXd half = left * rows;
    if (part == 0)
      out.real() = half;
    else
      out.imag() = half;
  });
  return out;
}

}  // namespace kdyn::inline sysid::internal
