// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/least_squares.hpp"

#include <algorithm>
#include <limits>

#include <ceres/ceres.h>

#include "kdyn/base/error.hpp"

namespace kdyn {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Residuals final : public ceres::CostFunction {
 public:
  Residuals(const LeastSquaresProblem& problem, int& evaluations) : problem_(problem), evaluations_(evaluations) {
    set_num_residuals(problem.residuals);
    mutable_parameter_block_sizes()->push_back(problem.parameters);
  }
  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    ++evaluations_;
    const Eigen::VectorXd theta = Eigen::Map<const Eigen::VectorXd>(parameters[0], problem_.parameters);
    const bool wanted = jacobians != nullptr && jacobians[0] != nullptr;
    r_.setConstant(problem_.residuals, std::numeric_limits<double>::quiet_NaN());  // a residual left out cannot pass for zero
    if (wanted) J_.setZero(problem_.residuals, problem_.parameters);
    if (!problem_.evaluate(theta, r_, wanted ? &J_ : nullptr) || !r_.allFinite()) return false;
    Eigen::Map<Eigen::VectorXd>(residuals, problem_.residuals) = r_;
    if (wanted) Eigen::Map<RowMajor>(jacobians[0], problem_.residuals, problem_.parameters) = J_;
    return true;
  }

 private:
  const LeastSquaresProblem& problem_;
  int& evaluations_;
  mutable Eigen::VectorXd r_;
  mutable Eigen::MatrixXd J_;
};

class StopOnRequest final : public ceres::IterationCallback {
 public:
  explicit StopOnRequest(Progress& progress) : progress_(progress) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary&) override {
    return progress_.stop_requested() ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

 private:
  Progress& progress_;
};

}  // namespace

LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem, const Eigen::VectorXd& start, const LeastSquaresOptions& options,
                                       Progress& progress) {
  demand(start.size() == problem.parameters && problem.parameters > 0 && problem.residuals > 0,
         "a least-squares problem has parameters and residuals");
  demand(problem.lower.size() == problem.upper.size() && (problem.lower.size() == 0 || problem.lower.size() == problem.parameters),
         "bounds are given for all parameters or for none");
  LeastSquaresResult result;
  result.theta = start;
  if (problem.lower.size() > 0) result.theta = result.theta.cwiseMax(problem.lower).cwiseMin(problem.upper);

  ceres::Problem ceres_problem;
  ceres_problem.AddResidualBlock(new Residuals(problem, result.evaluations), nullptr, result.theta.data());
  for (int i = 0; i < problem.lower.size(); ++i) {
    ceres_problem.SetParameterLowerBound(result.theta.data(), i, problem.lower[i]);
    ceres_problem.SetParameterUpperBound(result.theta.data(), i, problem.upper[i]);
  }
  StopOnRequest stop(progress);
  ceres::Solver::Options settings;
  settings.linear_solver_type = ceres::DENSE_QR;
  settings.max_num_iterations = options.max_iterations;
  settings.function_tolerance = options.function_tolerance;
  settings.gradient_tolerance = options.gradient_tolerance;
  settings.parameter_tolerance = options.parameter_tolerance;
  settings.logging_type = ceres::SILENT;
  settings.num_threads = 1;
  settings.callbacks.push_back(&stop);
  ceres::Solver::Summary summary;
  ceres::Solve(settings, &ceres_problem, &summary);

  result.stopped = summary.termination_type == ceres::USER_SUCCESS;
  result.converged = summary.termination_type == ceres::CONVERGENCE;
  result.reason = result.stopped ? "stopped on request" : summary.message;
  result.initial_cost = summary.initial_cost;
  result.final_cost = summary.final_cost;
  for (const auto& iteration : summary.iterations) result.cost_history.push_back(iteration.cost);
  result.iterations = std::max(0, static_cast<int>(summary.iterations.size()) - 1);  // the first record is the start itself
  result.residuals.setZero(problem.residuals);
  result.jacobian.setZero(problem.residuals, problem.parameters);
  if (!problem.evaluate(result.theta, result.residuals, &result.jacobian)) {
    result.converged = false;
    result.reason = "the residuals are not defined at the final point: " + result.reason;
  }
  return result;
}

}  // namespace kdyn
