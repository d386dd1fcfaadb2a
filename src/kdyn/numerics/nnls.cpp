// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/nnls.hpp"

#include "kdyn/numerics/small_least_squares.hpp"

namespace kdyn::inline numerics {

Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  SmallMatrix a(static_cast<std::size_t>(A.rows()), static_cast<std::size_t>(A.cols()));
  Eigen::Map<Eigen::MatrixXd>(a.entries.data(), A.rows(), A.cols()) = A;
  const std::vector<double> x = small_nonnegative_least_squares(a, std::vector<double>(b.data(), b.data() + b.size()));
  return Eigen::Map<const Eigen::VectorXd>(x.data(), A.cols());
}

}  // namespace kdyn::inline numerics
