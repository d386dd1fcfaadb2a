// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/base/search_watcher.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Box {
  VectorXd lower, upper;

  VectorXd clip(const VectorXd& x) const { return x.cwiseMax(lower).cwiseMin(upper); }
  // A parameter is held when it is fixed, or sits on a bound and wants to go beyond.
  bool held(const VectorXd& x, const VectorXd& gradient, Index s) const {
    if (!(upper[s] > lower[s])) return true;
    return (x[s] <= lower[s] && gradient[s] > 0.0) || (x[s] >= upper[s] && gradient[s] < 0.0);
  }
  double projected(const VectorXd& x, const VectorXd& gradient) const {
    double out = 0.0;
    for (Index s = 0; s < x.size(); ++s)
      if (!held(x, gradient, s)) out = std::max(out, std::abs(gradient[s]));
    return out;
  }
};

Box box_of(const fe::ReducedModel& model, const CalibrationOptions& options) {
  Box box{options.lower, options.upper};
  if (box.lower.size() == 0) box.lower = VectorXd::Constant(model.parameters, 0.4);
  if (box.upper.size() == 0) box.upper = VectorXd::Constant(model.parameters, 2.5);
  if (box.lower.size() != model.parameters || box.upper.size() != model.parameters ||
      (box.lower.array() > box.upper.array()).any() || !(box.lower.minCoeff() > 0.0))
    throw_bad_input("bounds", "bounds need one positive lower and one upper ratio per parameter, lower <= upper",
                    "correct the bounds");
  return box;
}

}  // namespace

const char* to_string(CalibrationStatus status) {
  switch (status) {
    case CalibrationStatus::converged: return "converged";
    case CalibrationStatus::max_iterations: return "max_iterations";
    case CalibrationStatus::stopped: return "stopped";
  }
  return "";
}

namespace {

// [update E33] What prior knowledge adds to the metric.
double pulled(const CalibrationOptions& options, const VectorXd& x) {
  if (options.pull.size() == 0) return 0.0;
  const VectorXd off = x - options.towards;
  return off.dot(options.pull * off);
}
MetricSlope slope_at(const fe::ReducedModel& model, const VectorXd& x, const Stage& stage,
                     const CalibrationOptions& options) {
  MetricSlope out = metric_slope(model, x, stage.target, stage.damping, options.threads);
  if (options.pull.size() == 0) return out;
  out.metric += pulled(options, x);
  out.gradient += 2.0 * options.pull * (x - options.towards);
  out.gauss_newton += 2.0 * options.pull;
  return out;
}

// One stage of [update E7] by [update E6]. Stages before the last only lead the way and stop early.
void run_stage(const fe::ReducedModel& model, const Stage& stage, bool last, const Box& box,
               const CalibrationOptions& options, VectorXd& x, Calibration& out, Progress& progress) {
  const double step_tolerance = last ? options.step_tolerance : std::max(options.step_tolerance, 1e-3);
  MetricSlope slope = slope_at(model, x, stage, options);
  ++out.evaluations;
  double mu = 1e-2, growth = 2.0;
  int iteration = 0, below_rounding = 0;
  out.status = CalibrationStatus::max_iterations;
  out.reason = fmt::format("{} iterations did not reach the tolerance", options.max_iterations);
  const auto converged = [&](const char* reason) { out.status = CalibrationStatus::converged, out.reason = reason; };
  for (; iteration < options.max_iterations; ++iteration) {
    if (progress.stop_requested()) {
      out.status = CalibrationStatus::stopped, out.reason = "stopped on request";
      break;
    }
    if (box.projected(x, slope.gradient) <= options.gradient_tolerance) {
      converged("the gradient vanished");
      break;
    }
    std::vector<Index> free;
    for (Index s = 0; s < x.size(); ++s)
      if (!box.held(x, slope.gradient, s)) free.push_back(s);
    MatrixXd a = slope.gauss_newton(free, free);
    const VectorXd diagonal = a.diagonal(), g = slope.gradient(free);
    a.diagonal() += mu * diagonal.cwiseMax(1e-12 * diagonal.maxCoeff());
    const VectorXd step = -a.ldlt().solve(g);
    VectorXd trial = x;
    for (std::size_t i = 0; i < free.size(); ++i) trial[free[i]] += step[static_cast<Index>(i)];
    trial = box.clip(trial);
    const VectorXd taken = trial - x;
    const double moved = (taken.array().abs() / x.array().abs()).maxCoeff();
    const double metric =
        log_metric(model, trial, stage.target, stage.damping, LogKind::ratio, options.threads) + pulled(options, trial);
    ++out.evaluations;
    const double expected = -(slope.gradient.dot(taken) + 0.5 * taken.dot(slope.gauss_newton * taken));
    // Where the gain drowns in the rounding of the metric, the gradient still knows the way.
    const bool rounding = expected >= 0.0 && expected < 1e-12 * slope.metric && metric < slope.metric * (1.0 + 1e-9);
    if (std::isfinite(metric) && (metric < slope.metric || rounding)) {
      const double gain = expected > 0.0 ? (slope.metric - metric) / expected : 1.0;
      const bool little = !last && slope.metric - metric < 1e-3 * slope.metric;
      x = trial;
      out.history.push_back(metric);
      tell_step(progress, static_cast<int>(out.history.size()), metric, {x.data(), static_cast<std::size_t>(x.size())});
      mu = std::max(1e-12,
                    mu * (gain > 0.9 || rounding ? 0.1 : std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * gain - 1.0, 3))));
      growth = 2.0;
      slope = slope_at(model, x, stage, options);
      if (little) {
        converged("the metric hardly falls any more");
        break;
      }
      if (rounding && ++below_rounding == 3) {
        converged("the metric falls by less than its rounding");
        break;
      }
      if (moved <= step_tolerance) {
        converged("the step became negligible");
        break;
      }
    } else {
      mu *= growth, growth *= 2.0;
      if (mu > 1e12) {
        converged("no step lowers the metric any more");
        break;
      }
    }
  }
  out.gradient = box.projected(x, slope.gradient);
  out.metric = slope.metric - pulled(options, x);
  out.gauss_newton = slope.gauss_newton;
  out.iterations.push_back(iteration);
}

}  // namespace

Calibration calibrate(const fe::ReducedModel& model, const std::vector<Stage>& stages, const VectorXd& start,
                      const CalibrationOptions& options, Progress& progress) {
  demand(!stages.empty() && start.size() == model.parameters,
         "there is a stage, and a start value for every parameter");
  const Box box = box_of(model, options);
  Calibration out;
  VectorXd x = box.clip(start);
  out.start_metric = log_metric(model, x, stages.back().target, stages.back().damping, LogKind::ratio, options.threads);
  tell_step(progress, 0, out.start_metric, {x.data(), static_cast<std::size_t>(x.size())});
  for (std::size_t stage = 0; stage < stages.size() && out.status != CalibrationStatus::stopped; ++stage) {
    progress.report(static_cast<double>(stage) / static_cast<double>(stages.size()), "calibration");
    run_stage(model, stages[stage], stage + 1 == stages.size(), box, options, x, out, progress);
  }
  out.ratio = x;
  for (Index s = 0; s < x.size(); ++s)
    out.at_bound.push_back(box.upper[s] > box.lower[s] && (x[s] <= box.lower[s] || x[s] >= box.upper[s]));
  return out;
}

MatrixXd latin_hypercube(const VectorXd& lower, const VectorXd& upper, int starts, std::uint64_t seed) {
  demand(starts >= 1 && lower.size() == upper.size(), "at least one start");
  MatrixXd out(lower.size(), starts);
  out.col(0) = VectorXd::Ones(lower.size()).cwiseMax(lower).cwiseMin(upper);
  for (Index s = 0; s < lower.size(); ++s) {
    RandomStream random(seed, static_cast<std::uint64_t>(s));
    std::vector<int> order(static_cast<std::size_t>(starts - 1));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (int j = 1; j < starts; ++j)
      out(s, j) =
          lower[s] + (upper[s] - lower[s]) * (order[static_cast<std::size_t>(j - 1)] + random.uniform()) / (starts - 1);
  }
  return out;
}

}  // namespace kdyn::update
