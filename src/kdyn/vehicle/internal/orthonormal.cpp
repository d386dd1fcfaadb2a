// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/orthonormal.hpp"

#include <limits>

namespace kdyn::inline vehicle::internal {
namespace {

// Q <- Q U^-1 and R <- U R with U^T U = Q^T Q + shift; false when the columns of Q are too much alike.
bool orthogonalise(double shift, Eigen::MatrixXd& Q, Eigen::MatrixXd& R) {
  constexpr double smallest_pivot =
      1e-6;  // with columns of unit length; rounding of the first round grows by its square
  Eigen::MatrixXd gram = shift * Eigen::MatrixXd::Identity(Q.cols(), Q.cols());
  gram.selfadjointView<Eigen::Upper>().rankUpdate(Q.transpose());
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor(gram);
  if (factor.info() != Eigen::Success || (shift == 0.0 && !(factor.matrixLLT().diagonal().minCoeff() > smallest_pivot)))
    return false;
  factor.matrixU().solveInPlace<Eigen::OnTheRight>(Q);
  R = factor.matrixU() * R;
  return true;
}

}  // namespace

bool thin_by_products(const Eigen::MatrixXd& T, Eigen::MatrixXd& Q, Eigen::MatrixXd& R, bool shifted) {
  const Eigen::VectorXd size = T.colwise().norm();
  if (!(size.minCoeff() > 0.0) || !size.allFinite()) return false;
  Q.noalias() = T * size.cwiseInverse().asDiagonal();
  R = size.asDiagonal();
  if (orthogonalise(0.0, Q, R)) return orthogonalise(0.0, Q, R);
  if (!shifted) return false;
  const auto rows = static_cast<double>(T.rows()), columns = static_cast<double>(T.cols());
  // Columns of unit length: the square of the norm is at most their number.
  const double shift =
      11.0 * (rows * columns + columns * (columns + 1.0)) * std::numeric_limits<double>::epsilon() * columns;
  return orthogonalise(shift, Q, R) && orthogonalise(0.0, Q, R) && orthogonalise(0.0, Q, R);
}

}  // namespace kdyn::inline vehicle::internal
