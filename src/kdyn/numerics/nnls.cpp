// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/nnls.hpp"

#include <vector>

namespace kdyn {

Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Eigen::Index n = A.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<bool> passive(static_cast<std::size_t>(n), false);
  const double tolerance = 1e-12 * (A.transpose() * b).cwiseAbs().maxCoeff();
  const auto solve_passive = [&] {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index i = 0; i < n; ++i)
      if (passive[static_cast<std::size_t>(i)]) columns.push_back(i);
    Eigen::MatrixXd P(A.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) P.col(static_cast<Eigen::Index>(i)) = A.col(columns[i]);
    const Eigen::VectorXd s = P.colPivHouseholderQr().solve(b);
    Eigen::VectorXd full = Eigen::VectorXd::Zero(n);
    for (std::size_t i = 0; i < columns.size(); ++i) full[columns[i]] = s[static_cast<Eigen::Index>(i)];
    return full;
  };
  // Each round frees one column; 3 n rounds are more than the method ever needs on these sizes.
  for (Eigen::Index round = 0; round < 3 * n; ++round) {
    const Eigen::VectorXd gradient = A.transpose() * (b - A * x);
    Eigen::Index enter = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!passive[static_cast<std::size_t>(i)] && gradient[i] > tolerance && (enter < 0 || gradient[i] > gradient[enter])) enter = i;
    if (enter < 0) break;
    passive[static_cast<std::size_t>(enter)] = true;
    Eigen::VectorXd s = solve_passive();
    while (true) {
      double step = 1.0;
      for (Eigen::Index i = 0; i < n; ++i)
        if (passive[static_cast<std::size_t>(i)] && s[i] <= 0.0) step = std::min(step, x[i] / (x[i] - s[i]));
      if (step >= 1.0) break;
      x += step * (s - x);
      for (Eigen::Index i = 0; i < n; ++i)
        if (passive[static_cast<std::size_t>(i)] && x[i] <= 1e-300) {
          passive[static_cast<std::size_t>(i)] = false;
          x[i] = 0.0;
        }
      s = solve_passive();
    }
    x = s;
  }
  return x;
}

}  // namespace kdyn
