// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/mode_basis.hpp"

#include <cmath>

namespace kdyn::fe::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Symmetric shapes have components of equal size: the first one within this share of the largest is taken, whatever the
// last digits say.
constexpr double equal = 1.0 - 1e-6;

MatrixXd unique_turn(const Eigen::Ref<const MatrixXd>& shapes) {
  const Index size = shapes.cols();
  MatrixXd turn = MatrixXd::Zero(size, size);
  VectorXd left = shapes.rowwise().squaredNorm();  // squared size of each row outside the vectors taken so far
  for (Index k = 0; k < size; ++k) {
    const double largest = left.maxCoeff();
    Index row = 0;
    while (left[row] < equal * equal * largest) ++row;
    VectorXd direction = shapes.row(row).transpose();
    for (int round = 0; round < 2; ++round) direction -= turn.leftCols(k) * (turn.leftCols(k).transpose() * direction);
    turn.col(k) = direction.normalized();
    left -= (shapes * turn.col(k)).cwiseAbs2();
  }
  return turn;
}

}  // namespace

void make_unique(const VectorXd& eigenvalues, double shift, double zero, MatrixXd& shapes) {
  const Index count = eigenvalues.size();
  for (Index first = 0; first < count;) {
    const bool rigid = std::abs(eigenvalues[first]) < zero;
    Index end = first + 1;
    while (end < count &&
           (rigid ? std::abs(eigenvalues[end]) < zero
                  : eigenvalues[end] - eigenvalues[first] < 5e-10 * (std::abs(eigenvalues[first]) + shift)))
      ++end;
    if (end - first > 1) shapes.middleCols(first, end - first) *= unique_turn(shapes.middleCols(first, end - first));
    first = end;
  }
}

void fix_signs(MatrixXd& shapes) {
  for (Index j = 0; j < shapes.cols(); ++j) {
    const double largest = shapes.col(j).cwiseAbs().maxCoeff();
    Index first = 0;
    while (std::abs(shapes(first, j)) < equal * largest) ++first;
    if (shapes(first, j) < 0.0) shapes.col(j) *= -1.0;
  }
}

}  // namespace kdyn::fe::internal
