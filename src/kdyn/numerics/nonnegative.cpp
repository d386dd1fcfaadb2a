// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/nonnegative.hpp"

#include <limits>
#include <vector>

namespace kdyn {
namespace {

// Least squares in the columns of the set; zero in the others.
Eigen::VectorXd solve_in(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const std::vector<bool>& in_set) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    if (in_set[static_cast<std::size_t>(j)]) columns.push_back(j);
  Eigen::MatrixXd part(A.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = A.col(columns[k]);
  const Eigen::VectorXd y = part.colPivHouseholderQr().solve(b);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(A.cols());
  for (std::size_t k = 0; k < columns.size(); ++k) x[columns[k]] = y[static_cast<Eigen::Index>(k)];
  return x;
}

}  // namespace

Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Eigen::Index n = A.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<bool> in_set(static_cast<std::size_t>(n), false);
  const double tolerance = 1e-12 * (A.cwiseAbs().colwise().sum().maxCoeff() * b.cwiseAbs().maxCoeff() + std::numeric_limits<double>::min());
  for (Eigen::Index round = 0; round < 5 * n; ++round) {
    const Eigen::VectorXd gradient = A.transpose() * (b - A * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j)
      if (!in_set[static_cast<std::size_t>(j)] && gradient[j] > tolerance && (best < 0 || gradient[j] > gradient[best])) best = j;
    if (best < 0) break;
    in_set[static_cast<std::size_t>(best)] = true;
    for (Eigen::Index inner = 0; inner < 3 * n; ++inner) {
      const Eigen::VectorXd trial = solve_in(A, b, in_set);
      // As far towards the trial as all stay non-negative; those that reach zero leave the set.
      double reach = 1.0;
      for (Eigen::Index j = 0; j < n; ++j)
        if (in_set[static_cast<std::size_t>(j)] && trial[j] <= 0.0)
          reach = std::min(reach, x[j] / (x[j] - trial[j] + std::numeric_limits<double>::min()));
      const bool inside = (trial.array() > 0.0 || x.array() == 0.0).all() && reach == 1.0;
      x += reach * (trial - x);
      if (inside) break;
      for (Eigen::Index j = 0; j < n; ++j)
        if (in_set[static_cast<std::size_t>(j)] && x[j] <= 1e-14 * x.maxCoeff()) {
          x[j] = 0.0;
          in_set[static_cast<std::size_t>(j)] = false;
        }
    }
  }
  return x.cwiseMax(0.0);
}

}  // namespace kdyn
