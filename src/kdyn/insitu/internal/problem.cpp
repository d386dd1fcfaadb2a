// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/internal/problem.hpp"

#include <algorithm>
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
                             const std::vector<InsituParameter>& parameters, const std::vector<InsituPrior>& priors,
                             int masking)
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
    const bool model = p.of == InsituParameter::Of::model;
    demand((model ? p.in.size() : p.channel.size()) == experiments.size(), "a parameter stands in every experiment");
    start_[i] = p.unknown(p.start);
    if (!model) continue;
    columns_.push_back({i, 1.0});
    for (const InsituParameter::Tie& tie : p.ties) columns_.push_back({i, tie.ratio});
  }
  find_unknowns();
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    const InsituExperiment& x = experiments[e];
    const auto steps = std::lround(x.run.duration_s / x.run.step_s) + 1;
    demand((!x.sampling.on_steps() || x.measured.cols() == steps) &&
               x.measured.rows() == static_cast<Index>(x.outputs.size()),
           "one column is measured for each sample");
    step_counts_.push_back(steps);
    outputs_.push_back(x.outputs);
    for (const InsituEndPoint& end : x.end_points) {
      demand(end.std > 0.0, "an end point has a standard deviation");
      outputs_.back().push_back(end.output);
    }
    plans_.emplace_back();
    systems_.push_back(own_system(x.model));
    auto& plain = plain_.emplace_back();
    for (const InsituParameter& p : parameters) {
      if (p.of != InsituParameter::Of::model) continue;
      plain.push_back(p.in[e]);
      for (const InsituParameter::Tie& tie : p.ties) plain.push_back(tie.in[e]);
    }
    measured_.push_back(x.measured);
    auto& times = times_.emplace_back();
    for (Index n = 0; n < x.measured.cols(); ++n) times.push_back(x.sampling.time(n, x.run.step_s));
  }
  mask_delays(masking);
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    const InsituExperiment& x = experiments[e];
    // [insitu E1] Weight of each signal.
    VectorXd& weight = weight_.emplace_back(x.measured.rows());
    for (Index j = 0; j < x.measured.rows(); ++j) {
      double sum = 0.0, square = 0.0, count = 0.0;
      for (const double m : measured_[e].row(j))
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
  rms_weight_ = weight_;
  // [insitu E14] An adjoint run costs as much as some ten parameters of the direct sensitivity.
  rows_by_adjoint_ = 10 * measured_numbers() <= model_parameters();
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

void InsituProblem::find_unknowns() {
  using Of = InsituParameter::Of;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    const std::size_t channels = experiments_[e].outputs.size();
    unknown_.emplace_back(channels);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const InsituParameter& p = parameters_[i];
      if (p.of == Of::model || p.channel[e] < 0) continue;
      const auto index = static_cast<int>(i);
      if (p.of == Of::time_offset) {
        for (ChannelUnknowns& u : unknown_[e]) u.time_offset = index;
        continue;
      }
      demand(static_cast<std::size_t>(p.channel[e]) < channels, "the channel exists");
      ChannelUnknowns& u = unknown_[e][static_cast<std::size_t>(p.channel[e])];
      (p.of == Of::gain ? u.gain : p.of == Of::offset ? u.offset : u.delay) = index;
    }
    bool any = !experiments_[e].calibration.empty();
    for (const ChannelUnknowns& u : unknown_[e]) any = any || u.any();
    calibrated_.push_back(any);
    demand(experiments_[e].calibration.empty() || experiments_[e].calibration.size() == channels,
           "a calibration for each channel");
  }
}

void InsituProblem::mask_delays(int masking) {
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    if (!calibrated_[e]) continue;
    const double end = static_cast<double>(step_counts_[e] - 1) * experiments_[e].run.step_s,
                 hair = 1e-6 * experiments_[e].run.step_s;
    for (Index j = 0; j < measured_[e].rows(); ++j) {
      const ChannelUnknowns& u = unknown_[e][static_cast<std::size_t>(j)];
      const bool own = u.delay >= 0 && u.delay < masking;
      double low = own ? 0.0 : calibration(e, j, start_).delay_s, high = low;
      if (!own && u.time_offset >= 0) low = high = calibration(e, j, VectorXd()).delay_s;
      for (const int i : {u.delay, u.time_offset}) {
        if (i < 0 || i >= masking) continue;
        const InsituParameter& p = parameters_[static_cast<std::size_t>(i)];
        demand(p.lower && p.upper, "a delay has bounds");
        low += *p.lower, high += *p.upper;
      }
      for (Index n = 0; n < measured_[e].cols(); ++n) {
        const double t = times_[e][static_cast<std::size_t>(n)];
        if (t - high < -hair || t - low > end + hair) measured_[e](j, n) = std::nan("");
      }
    }
  }
}

// [insitu E8] An empty p: as the experiment gives it.
ChannelCalibration InsituProblem::calibration(std::size_t e, Index j, const VectorXd& p) const {
  ChannelCalibration out;
  if (!experiments_[e].calibration.empty()) out = experiments_[e].calibration[static_cast<std::size_t>(j)];
  if (p.size() == 0) return out;
  const ChannelUnknowns& u = unknown_[e][static_cast<std::size_t>(j)];
  const auto value = [&](int i) { return parameters_[static_cast<std::size_t>(i)].value(p[i]); };
  if (u.gain >= 0) out.gain = value(u.gain);
  if (u.offset >= 0) out.offset = value(u.offset);
  if (u.delay >= 0) out.delay_s = value(u.delay);
  if (u.time_offset >= 0) out.delay_s += value(u.time_offset);
  return out;
}

void InsituProblem::apply(std::size_t e, const VectorXd& p) {
  for (std::size_t i = 0; i < plain_[e].size(); ++i) {
    const Index k = columns_[i].parameter;
    mbs::set_parameter(systems_[e], plain_[e][i],
                       columns_[i].ratio * parameters_[static_cast<std::size_t>(k)].value(p[k]));
  }
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

Index InsituProblem::measured_numbers() const {
  Index sum = samples_;
  for (const InsituExperiment& x : experiments_) sum += static_cast<Index>(x.end_points.size());
  return sum;
}

double InsituProblem::jacobian_bytes() const {
  double largest = 0.0;
  for (std::size_t e = 0; e < experiments_.size(); ++e)
    largest = std::max(largest, 8.0 * static_cast<double>(step_counts_[e]) * static_cast<double>(outputs_[e].size()) *
                                    static_cast<double>(columns_.size()));
  return largest;
}

bool InsituProblem::counts(std::size_t e, Index j, Index n, double share) const {
  return std::isfinite(measured_[e](j, n)) &&
         static_cast<double>(n) <= share * static_cast<double>(measured_[e].cols());
}

double InsituProblem::data_of(const std::vector<MatrixXd>& y, double share) const {
  double sum = 0.0;
  for (std::size_t e = 0; e < y.size(); ++e)
    for (Index j = 0; j < y[e].rows(); ++j)
      for (Index n = 0; n < y[e].cols(); ++n)
        if (counts(e, j, n, share)) sum += std::pow(weight_[e][j] * (y[e](j, n) - measured_[e](j, n)), 2);
  return sum;
}

double InsituProblem::weighted_residual(std::size_t e, Index j, Index n, const MatrixXd& y) const {
  return counts(e, j, n, window) ? weight_[e][j] * (y(j, n) - measured_[e](j, n)) : 0.0;
}

const Sampling& InsituProblem::place_of(const InsituPoint& at, std::size_t e, Index j) const {
  if (calibrated_[e])
    if (const auto& own = at.places[e][static_cast<std::size_t>(j)]) return *own;
  return experiments_[e].sampling;
}

// [insitu E8] Experiments are read in their order.
void InsituProblem::read_experiment(InsituPoint& at, std::size_t e) const {
  const InsituExperiment& x = experiments_[e];
  demand(at.y.size() == e, "experiments are read in their order");
  at.read.emplace_back();
  at.places.emplace_back();
  if (!calibrated_[e]) {
    at.y.push_back(x.sampling.at_samples(at.steps[e]));
    return;
  }
  const double end = static_cast<double>(step_counts_[e] - 1) * x.run.step_s;
  MatrixXd& read = at.read[e];
  read.resize(x.measured.rows(), x.measured.cols());
  at.places[e].resize(static_cast<std::size_t>(read.rows()));
  MatrixXd shown(read.rows(), read.cols());
  for (Index j = 0; j < read.rows(); ++j) {
    const ChannelCalibration c = calibration(e, j, at.p);
    if (c.delay_s != 0.0 || unknown_[e][static_cast<std::size_t>(j)].late()) {
      std::vector<double> times = times_[e];
      for (double& t : times) t = std::clamp(t - c.delay_s, 0.0, end);
      at.places[e][static_cast<std::size_t>(j)].emplace(times, x.run.step_s, step_counts_[e] - 1);
    }
    read.row(j) = place_of(at, e, j).at_samples(at.steps[e].row(j));
    shown.row(j) = (c.gain * read.row(j)).array() + c.offset;
  }
  at.y.push_back(std::move(shown));
}

void InsituProblem::read_channels(InsituPoint& at) const {
  at.y.clear(), at.read.clear(), at.places.clear();
  for (std::size_t e = 0; e < experiments_.size(); ++e) read_experiment(at, e);
  at.data = data_of(at.y, window);
  at.end = end_of(at);
  at.prior = at.p.dot(prior_information_ * at.p) - 2.0 * at.p.dot(prior_pull_) + prior_constant_;
}

// [insitu E11]
double InsituProblem::end_of(const InsituPoint& at) const {
  double sum = 0.0;
  for (std::size_t e = 0; e < at.ends.size(); ++e)
    for (Index k = 0; k < at.ends[e].size(); ++k) {
      const InsituEndPoint& end = experiments_[e].end_points[static_cast<std::size_t>(k)];
      sum += std::pow((at.ends[e][k] - end.value) / end.std, 2);
    }
  return sum;
}

void InsituProblem::choose_steps_again() {
  for (mbs::StepPlan& plan : plans_) plan.steps.clear();
}
bool InsituProblem::chooses_steps() const {
  return std::any_of(experiments_.begin(), experiments_.end(),
                     [](const InsituExperiment& x) { return x.run.step_control; });
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
    VectorXd& ends = out.ends.emplace_back(VectorXd::Zero(static_cast<Index>(x.end_points.size())));
    Index n = 0;
    const auto observe = [&](const mbs::RunState& s, const mbs::Evaluation& at) {
      if (!s.on_grid) return;  // a step that ended at a switch of a law, or was chosen by its error
      for (std::size_t j = 0; n < y.cols() && j < x.outputs.size(); ++j)
        y(static_cast<Index>(j), n) = mbs::output_value(systems_[e], x.outputs[j], s, at);
      for (Index k = 0; n + 1 == y.cols() && k < ends.size(); ++k)
        ends[k] = mbs::output_value(systems_[e], x.end_points[static_cast<std::size_t>(k)].output, s, at);
      ++n;
    };
    const bool planned = !plans_[e].steps.empty();
    const mbs::RunResult result =
        planned ? mbs::simulate(systems_[e], x.run, plans_[e], observe, silent_progress(), &out.history[e])
                : mbs::simulate(systems_[e], x.run, observe, silent_progress(), &out.history[e]);
    if (x.run.step_control && !planned && result.status == mbs::RunStatus::done)
      plans_[e] = mbs::plan_of(out.history[e]);
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
    out.steps.push_back(std::move(y));
    read_experiment(out, e);
  }
  if (out.complete) out.data = data_of(out.y, window), out.end = end_of(out);
  out.prior = p.dot(prior_information_ * p) - 2.0 * p.dot(prior_pull_) + prior_constant_;
  return out;
}

std::vector<double> InsituProblem::residuals(std::size_t e, Index j, const InsituPoint& at) const {
  std::vector<double> out;
  for (Index n = 0; n < at.y[e].cols(); ++n)
    if (counts(e, j, n, 1.0)) out.push_back(rms_weight_[e][j] * (at.y[e](j, n) - measured_[e](j, n)));
  return out;
}

namespace {

double rms_of(const std::vector<double>& values) {
  double square = 0.0;
  for (const double x : values) square += x * x;
  return values.empty() ? 0.0 : std::sqrt(square / static_cast<double>(values.size()));
}

}  // namespace

std::vector<std::vector<double>> InsituProblem::misfits(const InsituPoint& at) const {
  std::vector<std::vector<double>> out;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    auto& of = out.emplace_back();
    for (Index j = 0; j < measured_[e].rows(); ++j) of.push_back(rms_of(residuals(e, j, at)));
  }
  return out;
}

// [insitu E10]
void InsituProblem::weigh_by_noise(const InsituPoint& at) {
  const double common = std::sqrt(data_of(at.y, 1.0) / static_cast<double>(samples_));
  if (!(common > 0.0)) return;
  const auto misfit = misfits(at);
  for (std::size_t e = 0; e < experiments_.size(); ++e)
    for (Index j = 0; j < weight_[e].size(); ++j)
      weight_[e][j] = rms_weight_[e][j] / std::clamp(misfit[e][static_cast<std::size_t>(j)] / common, 1.0 / 30.0, 30.0);
}

std::vector<std::vector<double>> InsituProblem::colours(const InsituPoint& at) const {
  std::vector<std::vector<double>> out;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    auto& of = out.emplace_back();
    for (Index j = 0; j < measured_[e].rows(); ++j) of.push_back(lag_one_correlation(residuals(e, j, at)));
  }
  return out;
}

}  // namespace kdyn::inline insitu::internal
