// SPDX-License-Identifier: Apache-2.0
// The fit that identifications of positive parameters share: log parameters, several starts, noise from the residuals,
// intervals.
//
// Unknowns are logarithms, so intervals are multiplicative. Residuals come in groups of one unit each; the noise of a
// group is estimated from its residuals (or given) and the fit is repeated with it until it stands still. A weak
// log-normal prior about the start value (factor e^3) keeps parameters that the data do not see where they were; such
// parameters are reported as not determined.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

struct LogParameter {
  std::string name, unit, meaning;
  double start = 1.0, lower = 1e-12, upper = 1e12;  // all positive
};

struct LogFitGroup {
  std::string name, unit;
  double noise = 0.01;  // first guess, then estimated
  bool noise_given = false;
};

struct LogFitProblem {
  std::vector<LogParameter> parameters;
  std::vector<LogFitGroup> groups;
  std::vector<int> group_of;  // of each residual
  // Unweighted residuals, model minus measurement, at the parameter values; J, when wanted, with respect to their
  // logarithms.
  std::function<bool(const Eigen::VectorXd& values, Eigen::VectorXd& r, Eigen::MatrixXd* J)> evaluate;
};

struct LogFitOptions {
  int max_iterations = 100;
  int starts = 1;        // the first from the start values, the others scattered about them; 0: also_from alone
  double scatter = 1.0;  // standard deviation of ln(start) of the others
  double tolerance = 1e-11;
  int rough_iterations = 40;  // of each start when there are several
  std::uint64_t seed = 1;
  bool with_intervals = true;
  bool robust = true;         // residuals far outside the noise count less
  Eigen::VectorXd also_from;  // values of one more start, or empty
};

struct LogFitResult {
  std::string status = "not run";  // converged | not_converged | stopped
  std::string reason;
  Eigen::VectorXd values, residuals;  // residuals unweighted
  double cost = 0.0;                  // half the sum of squares of the weighted residuals
  std::vector<LogFitGroup> groups;
  std::vector<ParameterEstimate> parameters;
  Eigen::MatrixXd correlation;
  std::vector<std::string> not_told_apart;
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0, best_start = 0;
  std::vector<double> start_costs;  // final cost of each start
};

LogFitResult fit_log_parameters(const LogFitProblem& problem, const LogFitOptions& options,
                                Progress& progress = silent_progress());

}  // namespace kdyn::inline identify
