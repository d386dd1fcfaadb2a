// SPDX-License-Identifier: Apache-2.0
// Bounded nonlinear least squares: minimise |r(theta)|^2 / 2 with lower <= theta <= upper (Ceres, trust region with
// dense QR). The residual function fills the Jacobian from Jets; kdyn never differentiates numerically here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline numerics {

struct LeastSquaresProblem {
  int parameters = 0;
  int residuals = 0;
  // Fills r (residuals) and, when not null, J (residuals x parameters). False: not defined here, the step is shortened.
  std::function<bool(const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J)> evaluate;
  Eigen::VectorXd lower, upper;  // empty: unbounded
};

struct LeastSquaresOptions {
  int max_iterations = 100;
  double function_tolerance = 1e-13;   // |cost change| / cost
  double gradient_tolerance = 1e-12;   // largest projected gradient component
  double parameter_tolerance = 1e-11;  // |step| / |theta|
};

struct LeastSquaresResult {
  bool converged = false;
  bool stopped = false;
  std::string reason = "solve was not called";
  Eigen::VectorXd theta, residuals;
  Eigen::MatrixXd jacobian;  // at theta
  double initial_cost = -1.0, final_cost = -1.0;
  int iterations = 0, evaluations = 0;
  std::vector<double> cost_history;
};

LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                                       const LeastSquaresOptions& options = {}, Progress& progress = silent_progress());

}  // namespace kdyn::inline numerics
