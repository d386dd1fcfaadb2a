// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/least_squares.hpp"

#include <algorithm>
#include <limits>

#include <ceres/ceres.h>
#include <glog/logging.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/search_watcher.hpp"

namespace kdyn::inline numerics {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The latest evaluation is kept: the solver asks for the same place three times, when it looks along its step, for the
// misfit at the end of it and for the derivatives there.
class LatestEvaluation {
 public:
  LatestEvaluation(const LeastSquaresProblem& problem, int& evaluations)
      : problem_(problem),
        evaluations_(evaluations) {}

  // False where the residuals are not defined.
  bool at(const Eigen::VectorXd& theta, bool with_jacobian) {
    if (theta_.size() > 0 && theta == theta_ && (has_jacobian_ || !with_jacobian || !defined_)) return defined_;
    ++evaluations_;
    theta_ = theta;
    has_jacobian_ = with_jacobian;
    residuals.setConstant(problem_.residuals,
                          std::numeric_limits<double>::quiet_NaN());  // a residual left out cannot pass for zero
    if (with_jacobian) jacobian.setZero(problem_.residuals, problem_.parameters);
    return defined_ = problem_.evaluate(theta, residuals, with_jacobian ? &jacobian : nullptr) && residuals.allFinite();
  }
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;

 private:
  const LeastSquaresProblem& problem_;
  int& evaluations_;
  Eigen::VectorXd theta_;
  bool has_jacobian_ = false, defined_ = false;
};

class Residuals final : public ceres::CostFunction {
 public:
  Residuals(const LeastSquaresProblem& problem, LatestEvaluation& latest) : latest_(latest) {
    set_num_residuals(problem.residuals);
    mutable_parameter_block_sizes()->push_back(problem.parameters);
  }
  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    const int unknowns = parameter_block_sizes().front();
    const bool wanted = jacobians != nullptr && jacobians[0] != nullptr;
    if (!latest_.at(Eigen::Map<const Eigen::VectorXd>(parameters[0], unknowns), wanted)) return false;
    Eigen::Map<Eigen::VectorXd>(residuals, num_residuals()) = latest_.residuals;
    if (wanted) Eigen::Map<RowMajor>(jacobians[0], num_residuals(), unknowns) = latest_.jacobian;
    return true;
  }

 private:
  LatestEvaluation& latest_;
};

class StopOnRequest final : public ceres::IterationCallback {
 public:
  StopOnRequest(Progress& progress, int done) : progress_(progress), done_(done) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (summary.step_is_successful || summary.iteration == 0)
      tell_step(progress_, done_ + summary.iteration, summary.cost);
    return progress_.stop_requested() ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

 private:
  Progress& progress_;
  int done_;  // iterations before this run
};

constexpr int max_rounds = 20;

// Why the search ended, for people: the solver's own words name its settings.
std::string plain_reason(const ceres::Solver::Summary& summary) {
  const auto says = [&](const char* words) { return summary.message.find(words) != std::string::npos; };
  switch (summary.termination_type) {
    case ceres::USER_SUCCESS: return "stopped on request";
    case ceres::CONVERGENCE:
      return says("Gradient")    ? "no change of the parameters lowers the misfit"
             : says("Parameter") ? "the parameters no longer change"
                                 : "the misfit no longer falls";
    case ceres::NO_CONVERGENCE:
      return says("iterations") ? "the iterations were used up" : "the misfit still falls when the time is up";
    default: return "no step could be computed: the misfit is not defined or not finite near here";
  }
}

// One run of Ceres from result.theta with the parameters `held` where they are; adds to the result's history.
void minimise(const LeastSquaresProblem& problem, const LeastSquaresOptions& options, const std::vector<int>& held,
              LatestEvaluation& latest, Progress& progress, LeastSquaresResult& result) {
  ceres::Problem ceres_problem;
  ceres_problem.AddResidualBlock(new Residuals(problem, latest), nullptr, result.theta.data());
  for (int i = 0; i < problem.lower.size(); ++i) {
    ceres_problem.SetParameterLowerBound(result.theta.data(), i, problem.lower[i]);
    ceres_problem.SetParameterUpperBound(result.theta.data(), i, problem.upper[i]);
  }
  if (!held.empty())
    ceres_problem.SetManifold(result.theta.data(), new ceres::SubsetManifold(problem.parameters, held));
  StopOnRequest stop(progress, result.iterations);
  ceres::Solver::Options settings;
  settings.linear_solver_type = ceres::DENSE_QR;
  settings.max_num_iterations = std::max(0, options.max_iterations - result.iterations);
  settings.function_tolerance = options.function_tolerance;
  settings.gradient_tolerance = options.gradient_tolerance;
  settings.parameter_tolerance = options.parameter_tolerance;
  settings.logging_type = ceres::SILENT;
  settings.num_threads = 1;
  settings.callbacks.push_back(&stop);
  // Even a silent solver writes what goes wrong inside to the terminal; the result says it in words of its own.
  // Once: a global variable that all threads would write.
#ifndef CERCES_INTERNAL_MINIGLOG_GLOG_LOGGING_H_  // which is silent or not when it is compiled
  static const bool silenced = [] { return FLAGS_minloglevel = google::GLOG_FATAL, true; }();
  static_cast<void>(silenced);
#endif
  ceres::Solver::Summary summary;
  ceres::Solve(settings, &ceres_problem, &summary);

  const bool first = result.cost_history.empty();
  result.stopped = summary.termination_type == ceres::USER_SUCCESS;
  result.converged = summary.termination_type == ceres::CONVERGENCE;
  result.reason = plain_reason(summary);
  if (first) result.initial_cost = summary.initial_cost;
  result.final_cost = summary.final_cost;
  // The first record of a run is its start.
  for (std::size_t i = first ? 0 : 1; i < summary.iterations.size(); ++i)
    result.cost_history.push_back(summary.iterations[i].cost);
  result.iterations = std::max(0, static_cast<int>(result.cost_history.size()) - 1);
  const bool defined = latest.at(result.theta, true);
  result.residuals = latest.residuals;
  result.jacobian = latest.jacobian;
  if (!defined) {
    result.converged = false;
    result.reason = "the residuals are not defined at the final point: " + result.reason;
  }
}

// Parameters at a bound whose gradient would take them beyond it  [numerics E8].
std::vector<int> pressed_against_bounds(const LeastSquaresProblem& problem, const LeastSquaresResult& result) {
  const Eigen::VectorXd gradient = result.jacobian.transpose() * result.residuals;
  std::vector<int> pressed;
  for (int i = 0; i < problem.lower.size(); ++i)
    if ((result.theta[i] <= problem.lower[i] && gradient[i] > 0.0) ||
        (result.theta[i] >= problem.upper[i] && gradient[i] < 0.0))
      pressed.push_back(i);
  return pressed;
}

}  // namespace

LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                                       const LeastSquaresOptions& options, Progress& progress) {
  demand(start.size() == problem.parameters && problem.parameters > 0 && problem.residuals > 0,
         "a least-squares problem has parameters and residuals");
  demand(problem.lower.size() == problem.upper.size() &&
             (problem.lower.size() == 0 || problem.lower.size() == problem.parameters),
         "bounds are given for all parameters or for none");
  LeastSquaresResult result;
  result.theta = start;
  if (problem.lower.size() > 0) result.theta = result.theta.cwiseMax(problem.lower).cwiseMin(problem.upper);

  LatestEvaluation latest(problem, result.evaluations);
  if (!latest.at(result.theta, false)) {
    result.reason = "the residuals are not defined at the start";
    result.residuals = latest.residuals;
    result.jacobian.setZero(problem.residuals, problem.parameters);
    return result;
  }

  // [numerics E8] Usually one round; more when the solution lies at bounds.
  std::vector<int> held;
  for (int round = 0; round < max_rounds; ++round) {
    minimise(problem, options, held, latest, progress, result);
    if (!result.converged) break;
    const std::vector<int> pressed = pressed_against_bounds(problem, result);
    if (pressed == held || static_cast<int>(pressed.size()) == problem.parameters) break;
    held = pressed;
  }
  return result;
}

}  // namespace kdyn::inline numerics
