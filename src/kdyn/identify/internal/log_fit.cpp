// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/log_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/least_squares.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double log_prior_width = 3.0;  // of ln(parameter/start)
constexpr double huber_sigma = 4.0;
constexpr double noise_floor = 1e-10;  // relative: exact data must not ask for more digits than arithmetic has
constexpr double at_bound = 1e-6;      // distance in ln

class Solver {
 public:
  Solver(const LogFitProblem& problem, const LogFitOptions& options, Progress& progress)
      : problem_(problem),
        options_(options),
        progress_(progress) {
    const auto p = static_cast<Eigen::Index>(problem.parameters.size());
    prior_.resize(p), lower_.resize(p), upper_.resize(p);
    for (Eigen::Index i = 0; i < p; ++i) {
      const LogParameter& one = problem.parameters[static_cast<std::size_t>(i)];
      demand(one.lower > 0.0 && one.upper > one.lower, "a log parameter has positive bounds");
      lower_[i] = std::log(one.lower);
      upper_[i] = std::log(one.upper);
      prior_[i] = std::clamp(std::log(std::max(one.start, one.lower)), lower_[i], upper_[i]);
    }
    robust_.assign(problem.group_of.size(), 1.0);
  }

  const Eigen::VectorXd& start() const { return prior_; }
  Eigen::Index data_count() const { return static_cast<Eigen::Index>(problem_.group_of.size()); }

  LeastSquaresResult solve(const Eigen::VectorXd& from, const std::vector<LogFitGroup>& groups, int iterations,
                           double tolerance) {
    const Eigen::Index p = prior_.size(), n = data_count();
    weight_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i)
      weight_[i] = robust_[static_cast<std::size_t>(i)] /
                   groups[static_cast<std::size_t>(problem_.group_of[static_cast<std::size_t>(i)])].noise;
    LeastSquaresProblem least;
    least.parameters = static_cast<int>(p);
    least.residuals = static_cast<int>(n + p);
    least.lower = lower_;
    least.upper = upper_;
    least.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
      Eigen::VectorXd data(n);
      Eigen::MatrixXd slope;
      if (J != nullptr) slope.setZero(n, p);
      if (!problem_.evaluate(theta.array().exp(), data, J != nullptr ? &slope : nullptr)) return false;
      r.head(n) = weight_.cwiseProduct(data);
      r.tail(p) = (theta - prior_) / log_prior_width;
      if (J != nullptr) {
        J->topRows(n) = weight_.asDiagonal() * slope;
        J->bottomRows(p) = Eigen::MatrixXd::Identity(p, p) / log_prior_width;
      }
      return true;
    };
    LeastSquaresOptions settings;
    settings.max_iterations = iterations;
    settings.function_tolerance = tolerance;
    return solve_least_squares(least, from, settings, progress_);
  }

  // Noise of each group from its residuals; robust weights for what lies far outside. False when nothing moved by more
  // than 1 %.
  bool update_noise(const LeastSquaresResult& fit, std::vector<LogFitGroup>& groups) {
    bool changed = false;
    const double share = std::max(0.1, 1.0 - static_cast<double>(prior_.size()) / static_cast<double>(data_count()));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<double> r;
      std::vector<std::size_t> index;
      for (std::size_t i = 0; i < problem_.group_of.size(); ++i)
        if (problem_.group_of[i] == static_cast<int>(g)) {
          r.push_back(fit.residuals[static_cast<Eigen::Index>(i)] / weight_[static_cast<Eigen::Index>(i)]);
          index.push_back(i);
        }
      if (r.size() < 3) continue;
      const double rough = robust_scale(r);
      double square = 0.0;
      std::size_t inside = 0;
      for (const double one : r)
        if (std::abs(one) <= huber_sigma * rough || rough == 0.0) square += one * one, ++inside;
      const double noise =
          std::max(noise_floor, std::sqrt(square / (static_cast<double>(std::max<std::size_t>(inside, 1)) * share)));
      if (!groups[g].noise_given) {
        changed = changed || std::abs(noise / groups[g].noise - 1.0) > 0.01;
        groups[g].noise = noise;
      }
      for (std::size_t i = 0; i < r.size(); ++i) {
        const double excess = std::abs(r[i]) / (huber_sigma * groups[g].noise);
        robust_[index[i]] = options_.robust && excess > 1.0 ? 1.0 / std::sqrt(excess) : 1.0;
      }
    }
    return changed;
  }

  Eigen::VectorXd unweighted(const LeastSquaresResult& fit) const {
    return fit.residuals.head(data_count()).cwiseQuotient(weight_);
  }
  bool on_bound(Eigen::Index i, double theta) const {
    return theta < lower_[i] + at_bound || theta > upper_[i] - at_bound;
  }

 private:
  const LogFitProblem& problem_;
  const LogFitOptions& options_;
  Progress& progress_;
  Eigen::VectorXd prior_, lower_, upper_, weight_;
  std::vector<double> robust_;
};

void add_intervals(const LogFitProblem& problem, const Solver& solver, const LeastSquaresResult& fit,
                   LogFitResult& result) {
  const Eigen::Index p = fit.theta.size(), n = solver.data_count();
  // The prior is left out: what the data alone tell.
  const Covariance c = covariance_of(fit.jacobian.topRows(n));
  const double t = student_t_quantile(0.975, std::max(1.0, static_cast<double>(n - p)));
  for (Eigen::Index i = 0; i < p; ++i) {
    const LogParameter& info = problem.parameters[static_cast<std::size_t>(i)];
    const double value = std::exp(fit.theta[i]);
    // Wider than a factor of e^3 is no knowledge: the prior holds the value, not the data.
    const double sd = solver.on_bound(i, fit.theta[i]) || c.standard_deviation[i] > log_prior_width
                          ? std::numeric_limits<double>::infinity()
                          : c.standard_deviation[i];
    ParameterEstimate e;
    e.name = info.name, e.unit = info.unit, e.meaning = info.meaning;
    e.value = value;
    e.std = std::isfinite(sd) ? value * sd : sd;
    e.lower_95 = std::isfinite(sd) ? value * std::exp(-t * sd) : info.lower;
    e.upper_95 = std::isfinite(sd) ? value * std::exp(t * sd) : info.upper;
    result.parameters.push_back(std::move(e));
  }
  result.correlation = c.correlation;
  for (const Eigen::VectorXd& direction : c.not_determined) {
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < p; ++i)
      if (std::abs(direction[i]) > 0.2) names.push_back(problem.parameters[static_cast<std::size_t>(i)].name);
    result.not_told_apart.push_back(names.size() == 1 ? "the data do not tell " + names.front()
                                                      : "the data cannot tell " + join(names, ", ") + " apart");
  }
  for (const ParameterEstimate& e : result.parameters)
    if (!std::isfinite(e.std) && c.not_determined.empty())
      result.not_told_apart.push_back("the data do not tell " + e.name);
}

}  // namespace

LogFitResult fit_log_parameters(const LogFitProblem& problem, const LogFitOptions& options, Progress& progress) {
  Solver solver(problem, options, progress);
  LogFitResult result;
  std::vector<LogFitGroup> groups = problem.groups;
  // Rough fits from every start with the first noise levels, then the best one to the end.
  Eigen::VectorXd best = solver.start();
  double best_cost = std::numeric_limits<double>::infinity();
  RandomStream random(options.seed, 7);
  const int more = options.also_from.size() > 0 ? 1 : 0, starts = std::max(1 - more, options.starts) + more;
  for (int s = 0; s < starts; ++s) {
    Eigen::VectorXd from = solver.start();
    if (more > 0 && s + 1 == starts)
      from = options.also_from.array().log();
    else if (s > 0)
      for (Eigen::Index i = 0; i < from.size(); ++i) from[i] += options.scatter * random.normal();
    const LeastSquaresResult rough = solver.solve(
        from, groups, starts > 1 ? std::min(options.max_iterations, options.rough_iterations) : options.max_iterations,
        1e-6);
    result.iterations += rough.iterations;
    result.evaluations += rough.evaluations;
    const double cost = std::isfinite(rough.final_cost) && rough.final_cost >= 0.0
                            ? rough.final_cost
                            : std::numeric_limits<double>::infinity();
    result.start_costs.push_back(cost);
    if (cost < best_cost) {
      best_cost = cost;
      best = rough.theta;
      result.best_start = s;
    }
    if (progress.stop_requested()) break;
  }
  LeastSquaresResult fit;
  constexpr int rounds = 5;
  for (int round = 0;; ++round) {
    const bool last = round + 1 == rounds;
    fit = solver.solve(best, groups, options.max_iterations, last ? options.tolerance : 1e-6);
    result.iterations += fit.iterations;
    result.evaluations += fit.evaluations;
    result.cost_history.insert(result.cost_history.end(), fit.cost_history.begin(), fit.cost_history.end());
    best = fit.theta;
    if (fit.stopped || last) break;
    if (!solver.update_noise(fit, groups)) round = rounds - 2;  // one exact solution more
  }
  result.status = fit.stopped ? "stopped" : fit.converged ? "converged" : "not_converged";
  result.reason =
      fit.converged ? fmt::format("the residuals fall no further after {} iterations", result.iterations) : fit.reason;
  result.values = fit.theta.array().exp();
  result.residuals = solver.unweighted(fit);
  result.cost = fit.final_cost;
  result.groups = groups;
  if (options.with_intervals) add_intervals(problem, solver, fit, result);
  return result;
}

}  // namespace kdyn::inline identify
