// SPDX-License-Identifier: Apache-2.0
// Searches of in-situ identification within bounds: damped Gauss-Newton and projected BFGS.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/search_watcher.hpp"
#include "kdyn/insitu/internal/problem.hpp"

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Largest change of a log parameter in one iteration: a factor e.
constexpr double longest_step = 1.0;
// Above this misfit the record is taken in growing windows.
constexpr double far_misfit = 0.3;
constexpr double windows[] = {0.06, 0.12, 0.25, 0.5};
constexpr int window_iterations = 12;
// [insitu E5] A search ends when the linear problem promises to lower chi-square by less than this: the squared
// distance in standard deviations.
constexpr double window_rest = 1.0, final_rest = 1e-4;

class Search {
 public:
  Search(InsituProblem& problem, const VectorXd& lower, const VectorXd& upper, double noise,
         const InsituOptions& options, Progress& progress)
      : problem_(problem),
        lower_(lower),
        upper_(upper),
        noise_(noise),
        options_(options),
        progress_(progress) {
    problem_.noise = noise;
  }

  InsituSearch gauss_newton(const VectorXd& start) {
    InsituSearch out;
    if (!begin(start, out)) return out;
    // Far from the solution, computed and measured oscillations fall out of step late in the record and every period
    // makes a minimum of its own: the beginning is met first, and the window grows.  [insitu E4]
    const double misfit = std::sqrt(out.best.data / static_cast<double>(problem_.samples()));
    if (misfit > far_misfit)
      for (const double share : windows) {
        problem_.window = share;
        const bool reached = again(out) && iterate(out, 1e-3, window_iterations, 1e-2, window_rest);
        problem_.window = 1.0;
        if (!reached) {
          if (out.status == "stopped") return again(out), out;
          break;
        }
      }
    out.status.clear();
    out.reason.clear();
    if (!again(out)) return failed(out, "a run failed: " + out.best.reason), out;
    iterate(out, options_.tolerance, options_.max_iterations, 1e-6, final_rest);
    return out;
  }

  // [insitu E3]
  InsituSearch quasi_newton(const VectorXd& start) {
    InsituSearch out;
    if (!begin(start, out)) return out;
    const Index n = start.size();
    VectorXd g;
    if (!gradient(out.best, g)) return failed(out, "the adjoint could not be computed"), out;
    MatrixXd H = MatrixXd::Identity(n, n) * (0.1 / std::max(g.cwiseAbs().maxCoeff(), 1e-300));
    const double first = g.squaredNorm();
    bool fresh = true;
    int small = 0;
    for (int i = 0; i < options_.max_iterations; ++i) {
      if (stopped(i, out)) return out;
      VectorXd free_gradient = g;
      const std::vector<bool> held = at_bounds(out.best.p, g);
      MatrixXd Hf = H;
      for (Index k = 0; k < n; ++k)
        if (held[static_cast<std::size_t>(k)]) free_gradient[k] = 0.0, Hf.row(k).setZero(), Hf.col(k).setZero();
      VectorXd direction = -Hf * free_gradient;
      if (!(direction.dot(free_gradient) < 0.0))
        direction = -free_gradient * (0.1 / std::max(free_gradient.cwiseAbs().maxCoeff(), 1e-300));
      const VectorXd from = out.best.p, before = g;
      const double value = problem_.objective(out.best, noise_);
      bool better = false;
      double step = 1.0;
      for (int trial = 0; trial < 30 && !better; ++trial, step *= trial < 3 ? 0.5 : 0.2) {
        const VectorXd next = shortened(from, step * direction);
        InsituPoint point = problem_.evaluate(next);
        // Armijo with the slope of the projected step; S has twice the gradient g.
        if (point.complete && problem_.objective(point, noise_) <= value + 2e-4 * g.dot(next - from) &&
            problem_.objective(point, noise_) < value) {
          out.best = std::move(point);
          better = true;
        }
      }
      keep(out);
      if (!better && !fresh) {
        // The model of the curvature may be spoiled by rounding: once more along the gradient.
        H = MatrixXd::Identity(n, n) * (0.1 / std::max(g.cwiseAbs().maxCoeff(), 1e-300));
        fresh = true;
        continue;
      }
      // The gradient fell by 1e-6: what is left of the objective's decrease is of the order of its square.
      if (!better)
        return stuck(out, free_gradient.squaredNorm() < 1e-12 * first ? 0.0 : problem_.objective(out.best, noise_)),
               out;
      if (!gradient(out.best, g)) return failed(out, "the adjoint could not be computed"), out;
      const VectorXd s = out.best.p - from, y = g - before;
      const double sy = s.dot(y);
      if (sy > 1e-14 * s.norm() * y.norm()) {
        if (fresh) H = MatrixXd::Identity(n, n) * (sy / y.squaredNorm());
        const MatrixXd left = MatrixXd::Identity(n, n) - s * y.transpose() / sy;
        H = left * H * left.transpose() + s * s.transpose() / sy;
        fresh = false;
      }
      small = s.cwiseAbs().maxCoeff() < options_.tolerance ? small + 1 : 0;
      if (small >= 2) return converged(out), out;
    }
    return used_up(out), out;
  }

 private:
  // The point reached, counted anew after a change of the window.
  bool again(InsituSearch& out) {
    InsituPoint point = problem_.evaluate(out.best.p);
    out.best = std::move(point);
    return out.best.complete;
  }

  // Damped Gauss-Newton  [insitu E1]; false when it was stopped or failed.
  bool iterate(InsituSearch& out, double tolerance, int most, double damping, double rest) {
    MatrixXd A;
    VectorXd g;
    for (int i = 0; i < most && used_ < options_.max_iterations; ++i, ++used_) {
      if (stopped(used_, out)) return false;
      if (!problem_.normal_equations(out.best, A, g)) {
        failed(out, "the sensitivities could not be computed");
        return false;
      }
      A += noise_ * noise_ * problem_.prior_information();
      g += noise_ * noise_ * problem_.prior_gradient(out.best.p);
      hold(out.best.p, g, A);
      const double promised = promised_decrease(A, g);
      if (promised * freedom() < rest * problem_.objective(out.best, noise_)) {
        // The last step costs a run, no sensitivities.
        if (improve(shortened(out.best.p, -regular(A).ldlt().solve(g)), true, out)) keep(out);
        converged(out);
        return true;
      }
      bool better = false, settled = false;
      for (int trial = 0; trial < 14 && !better && !settled; ++trial) {
        MatrixXd damped = A;
        // Logarithms have one scale: a parameter that is hardly felt must not run away.
        damped.diagonal() += damping * (A.diagonal() + VectorXd::Constant(A.rows(), 1e-2 * A.diagonal().maxCoeff()));
        damped.diagonal().array() += 1e-30 + 1e-16 * A.diagonal().maxCoeff();
        const VectorXd next = shortened(out.best.p, -damped.ldlt().solve(g));
        settled = (next - out.best.p).cwiseAbs().maxCoeff() < tolerance;
        better = improve(next, settled, out);
        damping = better ? std::max(1e-12, 0.1 * damping) : std::max(1e-6, 10.0 * damping);
      }
      keep(out);
      if (settled || !better) {
        if (settled)
          converged(out);
        else
          stuck(out, promised);
        return true;
      }
    }
    used_up(out);
    return true;
  }

  // Decrease of the objective by the full step of the linear problem.
  static double promised_decrease(const MatrixXd& A, const VectorXd& g) { return g.dot(regular(A).ldlt().solve(g)); }
  static MatrixXd regular(const MatrixXd& A) {
    return A + MatrixXd::Identity(A.rows(), A.cols()) * (1e-30 + 1e-14 * A.diagonal().maxCoeff());
  }
  double freedom() const {
    return std::max(
        1.0, problem_.window * static_cast<double>(problem_.samples()) - static_cast<double>(problem_.parameters()));
  }

  bool begin(const VectorXd& start, InsituSearch& out) {
    out.best = problem_.evaluate(start);
    if (!out.best.complete) {
      failed(out, "the run at the start values failed: " + out.best.reason);
      return false;
    }
    keep(out);
    return true;
  }
  static void failed(InsituSearch& out, const std::string& reason) {
    out.status = "failed";
    out.reason = reason;
  }
  static void converged(InsituSearch& out) { out.status = "converged"; }
  // No step near by is better. With nothing left to gain (`promised` by the linear problem) rounding is the reason,
  // else the objective is not smooth.
  void stuck(InsituSearch& out, double promised) {
    const double value = problem_.objective(out.best, noise_);
    if (promised <= 1e-6 * value || value <= 1e-16 * static_cast<double>(problem_.samples())) {
      converged(out);
      return;
    }
    out.status = "not_converged";
    out.reason =
        "no step lowers the objective further although its gradient is not zero: runs are not accurate enough "
        "(tolerance of the run), or it has a "
        "kink here";
  }
  static void used_up(InsituSearch& out) {
    out.status = "not_converged";
    out.reason = "the iterations were used up";
  }
  bool stopped(int iteration, InsituSearch& out) {
    progress_.report(
        static_cast<double>(iteration) / options_.max_iterations,
        fmt::format("iteration {}, objective {:.4g}", iteration + 1, problem_.objective(out.best, noise_)));
    if (!progress_.stop_requested()) return false;
    out.status = "stopped";
    out.reason = "stopped by the user; --resume with this result goes on";
    return true;
  }
  bool gradient(const InsituPoint& at, VectorXd& g) {
    if (!problem_.adjoint_gradient(at, g)) return false;
    g += noise_ * noise_ * problem_.prior_gradient(at.p);
    return true;
  }
  // Variables at a bound that the gradient pushes against.
  std::vector<bool> at_bounds(const VectorXd& p, const VectorXd& g) const {
    std::vector<bool> held(static_cast<std::size_t>(p.size()), false);
    for (Index k = 0; k < p.size(); ++k)
      held[static_cast<std::size_t>(k)] = (p[k] <= lower_[k] && g[k] > 0.0) || (p[k] >= upper_[k] && g[k] < 0.0);
    return held;
  }
  void hold(const VectorXd& p, VectorXd& g, MatrixXd& A) const {
    const std::vector<bool> held = at_bounds(p, g);
    for (Index k = 0; k < p.size(); ++k)
      if (held[static_cast<std::size_t>(k)]) {
        g[k] = 0.0;
        A.row(k).setZero();
        A.col(k).setZero();
        A(k, k) = 1.0;
      }
  }
  // [insitu E6] `change` is relative, dx/x: signals are nearer to linear in stiffnesses, whose sums they feel, than in
  // their logarithms.
  VectorXd shortened(const VectorXd& p, VectorXd change) const {
    if (const double size = change.cwiseAbs().maxCoeff(); size > longest_step) change *= longest_step / size;
    for (Index k = 0; k < p.size(); ++k)
      if (double& c = change[k]; problem_.logarithmic(k))
        c = c > -0.5 ? std::log1p(c) : std::log(0.5) + 2.0 * (c + 0.5);
    return (p + change).cwiseMax(lower_).cwiseMin(upper_);
  }
  // Takes the point when it is better; the last step may keep the value as it is.
  bool improve(const VectorXd& next, bool settled, InsituSearch& out) {
    InsituPoint point = problem_.evaluate(next);
    if (!point.complete) return false;
    const double value = problem_.objective(point, noise_), before = problem_.objective(out.best, noise_);
    if (!(value < before) && !(settled && value <= before)) return false;
    out.best = std::move(point);
    return true;
  }
  void keep(InsituSearch& out) {
    InsituIteration step;
    step.objective = problem_.data_of(out.best.y, 1.0) + noise_ * noise_ * (out.best.prior + out.best.end);
    step.values = problem_.values(out.best.p);
    step.evaluations = problem_.evaluations;
    tell_step(progress_, static_cast<int>(out.history.size()), step.objective,
              {step.values.data(), static_cast<std::size_t>(step.values.size())});
    // Responses of iterations 0, 1, 2, 3, 5, 8, 13, ...: early ones change most.
    const std::size_t index = out.history.size();
    std::size_t a = 1, b = 2;
    while (b < index) std::swap(a, b), b += a;
    if (index <= 2 || b == index) step.response = out.best.y;
    out.history.push_back(std::move(step));
  }

  InsituProblem& problem_;
  const VectorXd &lower_, &upper_;
  double noise_;
  const InsituOptions& options_;
  Progress& progress_;
  int used_ = 0;  // iterations of all windows together
};

}  // namespace

InsituSearch search_gauss_newton(InsituProblem& problem, const VectorXd& start, const VectorXd& lower,
                                 const VectorXd& upper, double noise, const InsituOptions& options,
                                 Progress& progress) {
  return Search(problem, lower, upper, noise, options, progress).gauss_newton(start);
}

InsituSearch search_quasi_newton(InsituProblem& problem, const VectorXd& start, const VectorXd& lower,
                                 const VectorXd& upper, double noise, const InsituOptions& options,
                                 Progress& progress) {
  return Search(problem, lower, upper, noise, options, progress).quasi_newton(start);
}

void search_bounds(const std::vector<InsituParameter>& parameters, const InsituOptions& options, const VectorXd& start,
                   VectorXd& lower, VectorXd& upper) {
  lower = upper = start;
  for (Index i = 0; i < start.size(); ++i) {
    const InsituParameter& p = parameters[static_cast<std::size_t>(i)];
    const double reach = p.scale > 0.0 ? options.max_shift / p.scale : std::log(options.max_factor);
    lower[i] = p.lower ? p.unknown(*p.lower) : start[i] - reach;
    upper[i] = p.upper ? p.unknown(*p.upper) : start[i] + reach;
  }
}

}  // namespace kdyn::inline insitu::internal
