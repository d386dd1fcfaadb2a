// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/internal/problem.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

mbs::System own_system(mbs::Model model) {
  mbs::clone_laws(model);
  return mbs::System(std::move(model));
}

}  // namespace

InsituProblem::InsituProblem(const std::vector<InsituExperiment>& experiments,
                             const std::vector<InsituParameter>& parameters, const std::vector<InsituPrior>& priors)
    : experiments_(experiments),
      parameters_(parameters) {
  if (experiments.empty()) throw_bad_input("experiments", "there is no measurement", "give at least one");
  if (parameters.empty()) throw_bad_input("start", "no parameter is free", "name at least one");
  start_.resize(this->parameters());
  for (Index i = 0; i < this->parameters(); ++i) {
    const InsituParameter& p = parameters[static_cast<std::size_t>(i)];
    if ((!(p.start > 0.0) && p.scale == 0.0) || !std::isfinite(p.start))
      throw_bad_input(p.name, fmt::format("the start {} is not above 0", p.start),
                      "parameters are searched on a logarithmic scale");
    demand(p.in.size() == experiments.size(), "a parameter stands in every experiment");
    start_[i] = p.unknown(p.start);
  }
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    const InsituExperiment& x = experiments[e];
    const auto steps = std::lround(x.run.duration_s / x.run.step_s) + 1;
    demand((!x.sampling.on_steps() || x.measured.cols() == steps) &&
               x.measured.rows() == static_cast<Index>(x.outputs.size()),
           "one column is measured for each sample");
    step_counts_.push_back(steps);
    systems_.push_back(own_system(x.model));
    auto& plain = plain_.emplace_back();
    for (const InsituParameter& p : parameters) plain.push_back(p.in[e]);
    // [insitu E1] Weight of each signal.
    VectorXd& weight = weight_.emplace_back(x.measured.rows());
    for (Index j = 0; j < x.measured.rows(); ++j) {
      double sum = 0.0, square = 0.0, count = 0.0;
      for (const double m : x.measured.row(j))
        if (std::isfinite(m)) sum += m, square += m * m, count += 1.0;
      const double rms = count > 0.0 ? std::sqrt(std::max(0.0, square / count - sum * sum / (count * count))) : 0.0;
      if (!(rms > 0.0)) {
        const std::string name = static_cast<std::size_t>(j) < x.signals.size() ? x.signals[static_cast<std::size_t>(j)]
                                                                                : fmt::format("signal {}", j + 1);
        throw_bad_input(x.name, fmt::format("{} is constant or was not measured", name), "leave it out");
      }
      weight[j] = 1.0 / rms;
      samples_ += static_cast<Index>(count);
    }
  }
  prior_information_.setZero(this->parameters(), this->parameters());
  prior_pull_.setZero(this->parameters());
  for (const InsituPrior& prior : priors) {
    const auto n = static_cast<Index>(prior.parameters.size());
    const Eigen::LLT<MatrixXd> factor(prior.covariance);
    if (factor.info() != Eigen::Success || !prior.covariance.allFinite())
      throw_bad_input("priors", fmt::format("the covariance of {} is not positive definite", prior.origin),
                      "give standard deviations above 0");
    const MatrixXd information = factor.solve(MatrixXd::Identity(n, n));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        prior_information_(prior.parameters[static_cast<std::size_t>(i)],
                           prior.parameters[static_cast<std::size_t>(j)]) += information(i, j);
    const VectorXd pull = information * prior.mean;
    for (Index i = 0; i < n; ++i) prior_pull_[prior.parameters[static_cast<std::size_t>(i)]] += pull[i];
    prior_constant_ += prior.mean.dot(pull);
  }
}

void InsituProblem::apply(std::size_t e, const VectorXd& p) {
  for (std::size_t i = 0; i < plain_[e].size(); ++i)
    mbs::set_parameter(systems_[e], plain_[e][i], parameters_[i].value(p[static_cast<Index>(i)]));
}

std::vector<double> InsituProblem::values(const VectorXd& p) const {
  std::vector<double> out;
  for (std::size_t i = 0; i < parameters_.size(); ++i) out.push_back(parameters_[i].value(p[static_cast<Index>(i)]));
  return out;
}

VectorXd InsituProblem::slopes(const VectorXd& p) const {
  VectorXd out(p.size());
  for (Index i = 0; i < p.size(); ++i) out[i] = parameters_[static_cast<std::size_t>(i)].slope(p[i]);
  return out;
}

bool InsituProblem::has_memory() const {
  for (const mbs::System& system : systems_)
    for (const mbs::Axis& axis : system.axes())
      if (axis.law->has_memory()) return true;
  return false;
}

bool InsituProblem::counts(std::size_t e, Index j, Index n, double share) const {
  const InsituExperiment& x = experiments_[e];
  return std::isfinite(x.measured(j, n)) && static_cast<double>(n) <= share * static_cast<double>(x.measured.cols());
}

double InsituProblem::data_of(const std::vector<MatrixXd>& y, double share) const {
  double sum = 0.0;
  for (std::size_t e = 0; e < y.size(); ++e)
    for (Index j = 0; j < y[e].rows(); ++j)
      for (Index n = 0; n < y[e].cols(); ++n)
        if (counts(e, j, n, share)) sum += std::pow(weight_[e][j] * (y[e](j, n) - experiments_[e].measured(j, n)), 2);
  return sum;
}

double InsituProblem::weighted_residual(std::size_t e, Index j, Index n, const MatrixXd& y) const {
  return counts(e, j, n, window) ? weight_[e][j] * (y(j, n) - experiments_[e].measured(j, n)) : 0.0;
}

InsituPoint InsituProblem::evaluate(const VectorXd& p) {
  ++evaluations;
  InsituPoint out;
  out.p = p;
  out.history.resize(experiments_.size());
  out.complete = true;
  for (std::size_t e = 0; e < experiments_.size() && out.complete; ++e) {
    const InsituExperiment& x = experiments_[e];
    try {
      apply(e, p);
    } catch (const Error& error) {
      // A value the law does not allow: the search turns back.
      out.complete = false;
      out.reason = fmt::format("{}: {}", error.where(), error.message());
      break;
    }
    MatrixXd y(x.measured.rows(), step_counts_[e]);
    Index n = 0;
    const mbs::RunResult result = mbs::simulate(
        systems_[e], x.run,
        [&](const mbs::RunState& s, const mbs::Evaluation& at) {
          if (!s.on_grid) return;  // a step that ended at a switch of a law
          for (std::size_t j = 0; n < y.cols() && j < x.outputs.size(); ++j)
            y(static_cast<Index>(j), n) = mbs::output_value(systems_[e], x.outputs[j], s, at);
          ++n;
        },
        silent_progress(), &out.history[e]);
    if (result.status == mbs::RunStatus::done && n != y.cols()) {
      out.complete = false;
      out.reason = fmt::format(
          "experiment {}: the run took {} steps where {} were measured; identification needs steps of one length",
          x.name, n - 1, y.cols() - 1);
      break;
    }
    if (result.status != mbs::RunStatus::done || !y.allFinite()) {
      out.complete = false;
      out.reason = fmt::format("experiment {}: {} (last good time {:.6g} s)", x.name,
                               result.reason.empty() ? "a signal is not finite" : result.reason, result.last_time);
      break;
    }
    out.y.push_back(x.sampling.at_samples(y));
  }
  if (out.complete) out.data = data_of(out.y, window);
  out.prior = p.dot(prior_information_ * p) - 2.0 * p.dot(prior_pull_) + prior_constant_;
  return out;
}

bool InsituProblem::normal_equations(const InsituPoint& at, MatrixXd& A, VectorXd& g) {
  A.setZero(parameters(), parameters());
  g.setZero(parameters());
  const VectorXd scale = slopes(at.p);
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    apply(e, at.p);
    const Index samples = experiments_[e].measured.cols();
    const Index last = std::min(samples - 1, static_cast<Index>(window * static_cast<double>(samples)));
    const auto wanted = static_cast<std::size_t>(experiments_[e].sampling.last_step(last)) + 1;
    const std::vector<mbs::RunState>& states = at.history[e].states;
    // Samples refer to the states on the grid; the run has more where laws switch.
    std::size_t inside = 0;
    for (std::size_t seen = 0; inside < states.size() && seen < wanted; ++inside)
      seen += states[inside].on_grid ? 1 : 0;
    const auto forward = mbs::forward_sensitivity(systems_[e], experiments_[e].run, at.history[e],
                                                  experiments_[e].outputs, plain_[e], inside);
    if (!forward.complete) return false;
    MatrixXd J;
    VectorXd r(weight_[e].size()), w(weight_[e].size());
    std::vector<MatrixXd> on_grid;
    for (std::size_t i = 0; i < forward.jacobian.size(); ++i)
      if (states[i].on_grid) on_grid.push_back(forward.jacobian[i]);
    const Sampling& sampling = experiments_[e].sampling;
    for (Index n = 0; n < experiments_[e].measured.cols(); ++n) {
      if (sampling.last_step(n) >= static_cast<Index>(on_grid.size())) break;
      for (Index j = 0; j < r.size(); ++j) {
        r[j] = weighted_residual(e, j, n, at.y[e]);
        w[j] = counts(e, j, n, window) ? weight_[e][j] : 0.0;
      }
      J.noalias() = w.asDiagonal() * sampling.at_sample(on_grid, n) * scale.asDiagonal();
      A.noalias() += J.transpose() * J;
      g.noalias() += J.transpose() * r;
    }
  }
  return A.allFinite() && g.allFinite();
}

bool InsituProblem::adjoint_gradient(const InsituPoint& at, VectorXd& g) {
  g.setZero(parameters());
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    apply(e, at.p);
    const std::vector<mbs::RunState>& states = at.history[e].states;
    MatrixXd at_samples(at.y[e].rows(), at.y[e].cols());
    for (Index j = 0; j < at_samples.rows(); ++j)
      for (Index n = 0; n < at_samples.cols(); ++n)
        at_samples(j, n) = weight_[e][j] * weighted_residual(e, j, n, at.y[e]);
    const MatrixXd at_steps = experiments_[e].sampling.to_steps(at_samples, step_counts_[e]);
    MatrixXd bar = MatrixXd::Zero(at_steps.rows(), static_cast<Index>(states.size()));
    Index n = 0;
    for (std::size_t i = 0; i < states.size() && n < at_steps.cols(); ++i)
      if (states[i].on_grid) bar.col(static_cast<Index>(i)) = at_steps.col(n++);
    const auto adjoint =
        mbs::adjoint_gradient(systems_[e], experiments_[e].run, at.history[e], experiments_[e].outputs, bar, plain_[e]);
    if (!adjoint.complete) return false;
    g += adjoint.gradient;
  }
  g.array() *= slopes(at.p).array();
  return g.allFinite();
}

std::vector<std::vector<double>> InsituProblem::misfits(const InsituPoint& at) const {
  std::vector<std::vector<double>> out;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    auto& of = out.emplace_back();
    for (Index j = 0; j < weight_[e].size(); ++j) {
      double square = 0.0, count = 0.0;
      for (Index n = 0; n < at.y[e].cols(); ++n) {
        square += std::pow(weighted_residual(e, j, n, at.y[e]), 2);
        count += std::isfinite(experiments_[e].measured(j, n)) ? 1.0 : 0.0;
      }
      of.push_back(std::sqrt(square / count));
    }
  }
  return out;
}

double InsituProblem::largest_lag_one(const InsituPoint& at) const {
  double largest = 0.0;
  for (std::size_t e = 0; e < experiments_.size(); ++e)
    for (Index j = 0; j < weight_[e].size(); ++j) {
      std::vector<double> residuals;
      for (Index n = 0; n < at.y[e].cols(); ++n)
        if (std::isfinite(experiments_[e].measured(j, n))) residuals.push_back(weighted_residual(e, j, n, at.y[e]));
      if (const double lag = lag_one_correlation(residuals); std::abs(lag) > std::abs(largest)) largest = lag;
    }
  return largest;
}

}  // namespace kdyn::inline insitu::internal
