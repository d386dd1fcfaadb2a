// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/insitu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<InsituOptions>() {
  using O = InsituOptions;
  static const FieldTable table = FieldTable::of<O>("in-situ identification", [](FieldTable& t) {
    t.add(&O::max_iterations, "max_iterations", "-", "Most Gauss-Newton iterations").range(1, 1000);
    t.add(&O::tolerance, "tolerance", "-", "Converged when no parameter changes by more than this share").range(1e-15, 0.1);
    t.add(&O::max_factor, "max_factor", "-", "A parameter stays between start / factor and start * factor").range(1.001, 1e6);
    t.add(&O::check_gradient, "check_gradient", "-", "Compare the gradient with the adjoint's at the start");
  });
  return table;
}

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Evaluated {
  bool complete = false;
  std::string reason;
  MatrixXd y;
  mbs::History history;
};

class Fit {
 public:
  Fit(const mbs::Model& model, const mbs::RunOptions& run, const std::vector<mbs::Output>& outputs, const MatrixXd& measured,
      const std::vector<InsituParameter>& parameters, const InsituOptions& options, Progress& progress)
      : system_(own(model)),
        run_(run),
        outputs_(outputs),
        measured_(measured),
        parameters_(parameters),
        options_(options),
        progress_(progress) {
    const auto steps = std::lround(run.duration_s / run.step_s) + 1;
    if (measured.cols() != steps || measured.rows() != static_cast<Index>(outputs.size()))
      throw_bad_input(
          "data", fmt::format("{} signals of {} samples do not fit {} outputs of {} steps", measured.rows(), measured.cols(), outputs.size(), steps),
          "give one sample for each step of the run, the start included");
    if (!measured.allFinite()) throw_bad_input("data", "a measured value is not finite", "cut the gap out or repair it");
    if (parameters.empty()) throw_bad_input("parameters", "no parameter is free", "name at least one");
    for (const InsituParameter& p : parameters) {
      plain_.push_back(p.parameter);
      const double value = mbs::parameter_value(system_, p.parameter);
      if (!(value > 0.0))
        throw_bad_input(p.name, fmt::format("the start {} is not above 0", value), "parameters are searched on a logarithmic scale");
      start_.push_back(std::log(value));
    }
    // [identify E50] Weight of each signal.
    for (Index j = 0; j < measured.rows(); ++j) {
      const double rms = std::sqrt((measured.row(j).array() - measured.row(j).mean()).square().mean());
      if (!(rms > 0.0)) throw_bad_input("data", fmt::format("signal {} is constant", j + 1), "leave it out");
      weight_.push_back(1.0 / rms);
    }
  }

  InsituResult run() {
    const Index n = static_cast<Index>(parameters_.size());
    VectorXd p = Eigen::Map<const VectorXd>(start_.data(), n);
    InsituResult result;
    Evaluated now = evaluate(p);
    if (!now.complete) {
      result.status = "failed";
      result.reason = "the run at the start values failed: " + now.reason;
      return result;
    }
    double objective = objective_of(now.y), damping = 1e-6;
    MatrixXd A;
    VectorXd g;
    result.status = "not_converged";
    result.reason = "the iterations were used up";
    keep(result, objective, p);
    bool settled = false;
    for (int i = 0; i < options_.max_iterations && !settled; ++i) {
      progress_.report(static_cast<double>(i) / options_.max_iterations, fmt::format("iteration {}, objective {:.4g}", i + 1, objective));
      if (progress_.stop_requested()) {
        result.status = "stopped";
        result.reason = "stopped by the user";
        break;
      }
      if (!normal_equations(now, p, A, g)) {
        result.status = "failed";
        result.reason = "the sensitivities could not be computed";
        return result;
      }
      if (i == 0 && options_.check_gradient) result.gradient_check = check(now, p, g);
      bool better = false;
      for (int trial = 0; trial < 12 && !better; ++trial) {
        MatrixXd damped = A;
        damped.diagonal() += damping * A.diagonal();
        VectorXd change = -damped.ldlt().solve(g);
        // No more than a factor e at once, and inside the bounds.
        const double size = change.cwiseAbs().maxCoeff();
        if (size > 1.0) change /= size;
        VectorXd next = p + change;
        const double reach = std::log(options_.max_factor);
        for (Index k = 0; k < n; ++k)
          next[k] = std::clamp(next[k], start_[static_cast<std::size_t>(k)] - reach, start_[static_cast<std::size_t>(k)] + reach);
        const double moved = (next - p).cwiseAbs().maxCoeff();
        Evaluated trial_run = evaluate(next);
        const double value = trial_run.complete ? objective_of(trial_run.y) : std::numeric_limits<double>::infinity();
        settled = moved < options_.tolerance;
        if (value < objective || settled) {
          better = true;
          if (value <= objective) {
            p = next;
            objective = value;
            now = std::move(trial_run);
          }
          damping = std::max(1e-12, 0.1 * damping);
        } else {
          damping = std::max(1e-6, 10.0 * damping);
        }
      }
      keep(result, objective, p);
      if (!better) settled = true;  // rounding allows no further decrease
      if (settled) {
        result.status = "converged";
        result.reason.clear();
      }
    }
    normal_equations(now, p, A, g);
    describe(result, objective, p, A);
    result.model = now.y;
    return result;
  }

 private:
  static mbs::System own(mbs::Model model) {
    mbs::clone_laws(model);
    return mbs::System(std::move(model));
  }

  Evaluated evaluate(const VectorXd& p) {
    for (std::size_t i = 0; i < plain_.size(); ++i) mbs::set_parameter(system_, plain_[i], std::exp(p[static_cast<Index>(i)]));
    Evaluated out;
    out.y.resize(measured_.rows(), measured_.cols());
    Index n = 0;
    const auto result = mbs::simulate(
        system_, run_,
        [&](const mbs::RunState& s, const mbs::Evaluation& e) {
          for (std::size_t j = 0; j < outputs_.size(); ++j) out.y(static_cast<Index>(j), n) = mbs::output_value(system_, outputs_[j], s, e);
          ++n;
        },
        silent_progress(), &out.history);
    out.complete = result.status == mbs::RunStatus::done && out.y.allFinite();
    out.reason = result.reason;
    return out;
  }

  double objective_of(const MatrixXd& y) const {
    double sum = 0.0;
    for (Index j = 0; j < y.rows(); ++j) sum += std::pow(weight_[static_cast<std::size_t>(j)], 2) * (y.row(j) - measured_.row(j)).squaredNorm();
    return sum;
  }

  // J^T J and J^T r on log parameters; the runs of the system are at p.
  bool normal_equations(const Evaluated& at, const VectorXd& p, MatrixXd& A, VectorXd& g) {
    for (std::size_t i = 0; i < plain_.size(); ++i) mbs::set_parameter(system_, plain_[i], std::exp(p[static_cast<Index>(i)]));
    const auto forward = mbs::forward_sensitivity(system_, run_, at.history, outputs_, plain_);
    if (!forward.complete) return false;
    const Index n = static_cast<Index>(plain_.size());
    A.setZero(n, n);
    g.setZero(n);
    const VectorXd scale = p.array().exp();
    VectorXd w = Eigen::Map<const VectorXd>(weight_.data(), static_cast<Index>(weight_.size()));
    for (std::size_t s = 0; s < forward.jacobian.size(); ++s) {
      const MatrixXd J = w.asDiagonal() * forward.jacobian[s] * scale.asDiagonal();
      A.noalias() += J.transpose() * J;
      g.noalias() += J.transpose() * (w.asDiagonal() * (at.y.col(static_cast<Index>(s)) - measured_.col(static_cast<Index>(s))));
    }
    return A.allFinite() && g.allFinite();
  }

  double check(const Evaluated& at, const VectorXd& p, const VectorXd& g) {
    MatrixXd bar = at.y - measured_;
    for (Index j = 0; j < bar.rows(); ++j) bar.row(j) *= std::pow(weight_[static_cast<std::size_t>(j)], 2);
    const auto adjoint = mbs::adjoint_gradient(system_, run_, at.history, outputs_, bar, plain_);
    if (!adjoint.complete) return std::numeric_limits<double>::quiet_NaN();
    const VectorXd own = adjoint.gradient.cwiseProduct(VectorXd(p.array().exp()));
    return (own - g).cwiseAbs().maxCoeff() / std::max(g.cwiseAbs().maxCoeff(), 1e-300);
  }

  void keep(InsituResult& result, double objective, const VectorXd& p) const {
    InsituIteration step;
    step.objective = objective;
    for (const double x : p) step.values.push_back(std::exp(x));
    result.history.push_back(std::move(step));
  }

  // [identify E51]
  void describe(InsituResult& result, double objective, const VectorXd& p, const MatrixXd& A) const {
    const Index n = p.size();
    const double freedom = std::max(1.0, static_cast<double>(measured_.size() - n)), variance = objective / freedom;
    const MatrixXd covariance = variance * A.ldlt().solve(MatrixXd::Identity(n, n));
    result.misfit = std::sqrt(objective / static_cast<double>(measured_.size()));
    result.correlation.resize(n, n);
    for (Index i = 0; i < n; ++i) {
      const double deviation = std::sqrt(std::max(0.0, covariance(i, i)));
      ParameterEstimate out;
      out.name = parameters_[static_cast<std::size_t>(i)].name;
      out.unit = parameters_[static_cast<std::size_t>(i)].unit;
      out.value = std::exp(p[i]);
      out.std = out.value * deviation;
      out.lower_95 = out.value * std::exp(-1.96 * deviation);
      out.upper_95 = out.value * std::exp(1.96 * deviation);
      result.parameters.push_back(std::move(out));
      for (Index j = 0; j < n; ++j) result.correlation(i, j) = covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
    }
  }

  mbs::System system_;
  const mbs::RunOptions& run_;
  const std::vector<mbs::Output>& outputs_;
  const MatrixXd& measured_;
  const std::vector<InsituParameter>& parameters_;
  const InsituOptions& options_;
  Progress& progress_;
  std::vector<mbs::Parameter> plain_;
  std::vector<double> start_, weight_;
};

}  // namespace

InsituResult identify_in_situ(const mbs::Model& model, const mbs::RunOptions& run, const std::vector<mbs::Output>& outputs, const MatrixXd& measured,
                              const std::vector<InsituParameter>& parameters, const InsituOptions& options, Progress& progress) {
  return Fit(model, run, outputs, measured, parameters, options, progress).run();
}

}  // namespace kdyn
