// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/internal/local_search.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/study/step_program.hpp"

namespace kdyn::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double most_penalty = 1e6;

// Offsets of both runs beside a parameter: on both sides, or inwards from a bound.
std::array<double, 2> offsets(double x, double h) {
  if (x - h >= 0.0 && x + h <= 1.0) return {h, -h};
  return x + h > 1.0 ? std::array<double, 2>{-h, -2.0 * h} : std::array<double, 2>{h, 2.0 * h};
}

}  // namespace

LocalSearch::LocalSearch(const SearchProblem& problem, const SearchOptions& options, const VectorXd& scale,
                         double noise, double difference, const std::vector<double>& x, const VectorXd& outputs,
                         std::size_t run)
    : problem_(problem),
      n_(static_cast<Index>(problem.parameters)),
      parts_(static_cast<Index>(problem.parts)),
      constraints_(static_cast<Index>(problem.constraints)),
      tolerance_(options.tolerance),
      noise_(noise),
      difference_(difference),
      scale_(scale),
      x_(Eigen::Map<const VectorXd>(x.data(), n_)),
      y_(outputs.cwiseQuotient(scale)) {
  result_.start_run = result_.end_run = run;
}

double LocalSearch::objective(const VectorXd& y) const {
  if (problem_.kind == ObjectiveKind::value) return y[0];
  return problem_.kind == ObjectiveKind::largest ? y.head(parts_).maxCoeff() : y.head(parts_).squaredNorm();
}

double LocalSearch::violation(const VectorXd& y) const {
  return constraints_ == 0 ? 0.0 : std::max(0.0, y.segment(parts_, constraints_).maxCoeff());
}

std::vector<std::vector<double>> LocalSearch::ask() const {
  std::vector<std::vector<double>> out;
  if (finished_) return out;
  if (stage_ == RunStage::step) return {{trial_.data(), trial_.data() + n_}};
  for (Index j = 0; j < n_; ++j)
    for (const double offset : offsets(x_[j], difference_)) {
      out.emplace_back(x_.data(), x_.data() + n_);
      out.back()[static_cast<std::size_t>(j)] = std::clamp(x_[j] + offset, 0.0, 1.0);
    }
  return out;
}

void LocalSearch::tell(const std::vector<RunOutputs>& outputs, std::size_t first_run) {
  if (stage_ == RunStage::slope)
    take_slopes(outputs);
  else
    judge_step(outputs.front(), first_run);
}

void LocalSearch::take_slopes(const std::vector<RunOutputs>& outputs) {
  slope_.resize(y_.size(), n_);
  VectorXd second = VectorXd::Zero(n_);
  for (Index j = 0; j < n_; ++j) {
    const auto [a, b] = offsets(x_[j], difference_);
    const RunOutputs &at_a = outputs[static_cast<std::size_t>(2 * j)],
                     &at_b = outputs[static_cast<std::size_t>(2 * j + 1)];
    if (!at_a && !at_b) return finish(SearchEnd::no_slope);
    const VectorXd by_a = at_a ? VectorXd((at_a->cwiseQuotient(scale_) - y_) / a) : VectorXd(),
                   by_b = at_b ? VectorXd((at_b->cwiseQuotient(scale_) - y_) / b) : VectorXd();
    if (!at_a || !at_b) {
      slope_.col(j) = at_a ? by_a : by_b;
      continue;
    }
    slope_.col(j) = (by_a * b - by_b * a) / (b - a);  // [study E13]
    second[j] = (2.0 * (by_a - by_b) / (a - b)).head(parts_).mean();
  }
  if (problem_.kind != ObjectiveKind::squares) {
    if (!has_slope_) {
      curvature_ = MatrixXd(second.cwiseAbs().cwiseMax(1e-3).asDiagonal());
    } else {
      // BFGS of the Lagrangian, damped so that it stays positive (Powell 1978).
      const VectorXd& s = step_before_;
      VectorXd change = (slope_ - before_).topRows(parts_ + constraints_).transpose() * multipliers_;
      const VectorXd Bs = curvature_ * s;
      const double sBs = s.dot(Bs), sy = s.dot(change);
      if (sBs > 0.0) {
        if (sy < 0.2 * sBs) {
          const double theta = 0.8 * sBs / (sBs - sy);
          change = theta * change + (1.0 - theta) * Bs;
        }
        curvature_ += change * change.transpose() / s.dot(change) - Bs * Bs.transpose() / sBs;
        curvature_ = (0.5 * (curvature_ + curvature_.transpose())).eval();
      }
    }
  }
  has_slope_ = true;
  corrected_ = false;
  plan_step();
}

bool LocalSearch::solve(const VectorXd& y, double penalty) {
  const bool largest = problem_.kind == ObjectiveKind::largest, held = constraints_ > 0;
  const Index size = n_ + (largest ? 1 : 0) + (held ? 1 : 0),
              rows = 2 * n_ + (largest ? parts_ : 0) + (held ? constraints_ + 1 : 0);
  MatrixXd H = MatrixXd::Zero(size, size), G = MatrixXd::Zero(rows, size);
  VectorXd h = VectorXd::Zero(size), b(rows);
  const auto J = slope_.topRows(parts_);
  if (problem_.kind == ObjectiveKind::squares) {
    H.topLeftCorner(n_, n_) = 2.0 * J.transpose() * J;
    H.diagonal().head(n_).array() += 1e-10;
    h.head(n_) = 2.0 * J.transpose() * y.head(parts_);
  } else {
    H.topLeftCorner(n_, n_) = curvature_;
    if (largest)
      h[n_] = 1.0;
    else
      h.head(n_) = J.row(0).transpose();
  }
  for (Index j = 0; j < n_; ++j) {
    G(j, j) = 1.0, b[j] = std::min(radius_, 1.0 - x_[j]);
    G(n_ + j, j) = -1.0, b[n_ + j] = std::min(radius_, x_[j]);
  }
  Index row = 2 * n_;
  if (largest) {
    G.block(row, 0, parts_, n_) = J;
    G.block(row, n_, parts_, 1).setConstant(-1.0);
    b.segment(row, parts_) = y.head(parts_).maxCoeff() - y.head(parts_).array();
    row += parts_;
  }
  if (held) {
    h[size - 1] = penalty;
    G.block(row, 0, constraints_, n_) = slope_.middleRows(parts_, constraints_);
    G.block(row, size - 1, constraints_, 1).setConstant(-1.0);
    b.segment(row, constraints_) = -y.segment(parts_, constraints_);
    G(rows - 1, size - 1) = -1.0, b[rows - 1] = 0.0;
  }
  const StepSolution solution = solve_step(H, h, G, b);
  if (!solution.solved) return false;
  trial_ = x_ + solution.z.head(n_);
  for (double& x : trial_) x = x < 1e-9 ? 0.0 : x > 1.0 - 1e-9 ? 1.0 : x;
  step_ = trial_ - x_;
  slack_ = held ? std::max(0.0, solution.z[size - 1]) : 0.0;
  multipliers_ = VectorXd::Ones(parts_ + constraints_);
  if (largest) multipliers_.head(parts_) = solution.multipliers.segment(2 * n_, parts_);
  if (held)
    multipliers_.tail(constraints_) = solution.multipliers.segment(2 * n_ + (largest ? parts_ : 0), constraints_);
  const double objective_scale = problem_.kind == ObjectiveKind::squares ? scale_[0] * scale_[0] : scale_[0];
  result_.upper_price = objective_scale * solution.multipliers.head(n_);
  result_.lower_price = objective_scale * solution.multipliers.segment(n_, n_);
  result_.constraint_price =
      objective_scale * multipliers_.tail(constraints_).cwiseQuotient(scale_.segment(parts_, constraints_));
  return true;
}

void LocalSearch::plan_step() {
  // A region that rejected steps have made smaller than the tolerance tells nothing of itself: seen through one as large
  // as the tolerance the point is an optimum, or runs do not follow their slopes.
  const bool last = radius_ < tolerance_;
  if (last) radius_ = tolerance_;
  if (!solve(y_, penalty_)) return finish(SearchEnd::stalled);
  // A penalty that leaves constraints open although the straight lines could close them is too small.
  while (slack_ > 1e-9 && penalty_ < most_penalty) {
    const double left = slack_;
    if (!solve(y_, most_penalty)) return finish(SearchEnd::stalled);
    if (slack_ > left * (1.0 - 1e-6)) break;
    penalty_ *= 10.0;
    if (!solve(y_, penalty_)) return finish(SearchEnd::stalled);
  }
  const VectorXd ahead = y_ + slope_ * step_;
  double model = objective(ahead) + penalty_ * violation(ahead);
  if (problem_.kind != ObjectiveKind::squares) model += 0.5 * step_.dot(curvature_ * step_);
  predicted_ = merit(y_) - model;
  const double way = step_.lpNorm<Eigen::Infinity>(),
               nothing = std::max(1e-14 * (1.0 + std::abs(merit(y_))), 3.0 * noise_);
  // [study E15]
  if (predicted_ <= nothing || ((way <= tolerance_ || last) && predicted_ <= 1e-10))
    return finish(violation(y_) <= met_within ? SearchEnd::converged : SearchEnd::infeasible);
  if (last) return finish(SearchEnd::stalled);
  stage_ = RunStage::step;
}

void LocalSearch::judge_step(const RunOutputs& outputs, std::size_t run) {
  const double way = step_.lpNorm<Eigen::Infinity>();
  if (outputs) {
    const VectorXd y = outputs->cwiseQuotient(scale_);
    const double actual = merit(y_) - merit(y), ratio = actual / predicted_;
    if (actual > 0.0 && ratio > 1e-4) {
      before_ = slope_, step_before_ = step_;
      x_ = trial_, y_ = y;
      result_.end_run = run;
      ++result_.steps;
      if (ratio < 0.25)
        radius_ = std::max(0.5 * way, 1e-9);
      else if (ratio > 0.75 && way > 0.9 * radius_)
        radius_ = std::min(2.0 * radius_, 1.0);
      stage_ = RunStage::slope;
      return;
    }
    // Where curved constraints spoil a good step, once more with what they are at its end.
    const double predicted = predicted_;
    if (!corrected_ && (constraints_ > 0 || problem_.kind == ObjectiveKind::largest)) {
      corrected_ = true;
      VectorXd there = y - slope_ * step_;
      if (problem_.kind != ObjectiveKind::largest) there.head(parts_) = y_.head(parts_);
      if (solve(there, penalty_)) {
        predicted_ = predicted;
        return;
      }
    }
  }
  corrected_ = false;
  radius_ = 0.5 * std::min(radius_, std::max(way, 1e-12));
  plan_step();
}

void LocalSearch::give_up(SearchEnd why) {
  if (!finished_) finish(why);
}

void LocalSearch::finish(SearchEnd end) {
  finished_ = true;
  result_.end = end;
  // Slopes of the point before say nothing about this one.
  const bool known = has_slope_ && end != SearchEnd::no_slope &&
                     (stage_ != RunStage::slope || end != SearchEnd::stopped) &&
                     (stage_ != RunStage::slope || end != SearchEnd::out_of_runs);
  if (known) {
    result_.slope = scale_.asDiagonal() * slope_;
  } else {
    result_.slope.resize(0, 0);
    result_.lower_price.resize(0), result_.upper_price.resize(0), result_.constraint_price.resize(0);
  }
}

}  // namespace kdyn::study
