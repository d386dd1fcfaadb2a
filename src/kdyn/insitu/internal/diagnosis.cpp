// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/internal/diagnosis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/insitu/internal/channel_unknowns.hpp"
#include "kdyn/numerics/scatter.hpp"
#include "kdyn/signal/channel_check.hpp"
#include "kdyn/signal/clipping.hpp"

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::size_t nth(Index i) { return static_cast<std::size_t>(i); }

double scatter_of(const MatrixXd& measured, Index j) {
  std::vector<double> place, value;
  for (Index n = 0; n < measured.cols(); ++n)
    if (std::isfinite(measured(j, n))) place.push_back(static_cast<double>(n)), value.push_back(measured(j, n));
  if (value.size() < 3) return 0.0;
  Scatter scatter;
  scatter.add(place, value);
  return scatter.noise();
}

}  // namespace

// [insitu E9]
bool test_channels(const std::vector<InsituExperiment>& experiments, const std::vector<InsituParameter>& parameters,
                   const std::vector<InsituPrior>& priors, InsituProblem& problem, InsituPoint& point, double noise,
                   ChannelTest& out) {
  const auto n = static_cast<Index>(parameters.size());
  std::vector<InsituParameter> all = parameters;
  const std::vector<ChannelOwn> owns = add_channel_unknowns(experiments, all);
  InsituProblem wide(experiments, all, priors, static_cast<int>(n));
  wide.take_weights(problem);
  wide.noise = problem.noise = noise;
  wide.set_rows_by_adjoint(problem.rows_by_adjoint());
  const VectorXd p = point.p;
  point.p = wide.start();
  point.p.head(n) = p;
  wide.read_channels(point);
  MatrixXd A;
  VectorXd g;
  const bool solved = wide.normal_equations(point, A, g);
  MatrixXd full = A + noise * noise * wide.prior_information();
  g += noise * noise * wide.prior_gradient(point.p);
  point.p = p;
  problem.read_channels(point);
  if (!solved) return false;
  out.information = A.topLeftCorner(n, n);
  const InformationInverse inverse = inverse_of(full);
  const VectorXd step = -inverse.covariance * g, deviation = noise * inverse.deviation;
  const auto misfits = problem.misfits(point), colours = problem.colours(point);
  for (const ChannelOwn& own : owns) {
    const InsituExperiment& x = experiments[own.experiment];
    const ChannelCalibration c = given_calibration(x, own.channel);
    const double rms = rms_of_row(x.measured, own.channel);
    InsituChannel channel;
    channel.experiment = x.name;
    channel.signal = signal_of(x, own.channel);
    channel.misfit = misfits[own.experiment][nth(own.channel)];
    channel.noise = rms > 0.0 ? scatter_of(x.measured, own.channel) / rms : 0.0;
    channel.colour = colours[own.experiment][nth(own.channel)];
    // Freed by the job: what was found. Else the step that the residuals ask for.
    const auto value = [&](int i, double& about) {
      const InsituParameter& q = all[nth(i)];
      about = q.slope(i < n ? p[i] : q.unknown(q.start)) * deviation[i];
      return i < n ? q.value(p[i]) : q.start + q.scale * step[i];
    };
    double offset_std = 0.0;
    channel.factor = value(own.gain, channel.factor_std) / c.gain;
    channel.factor_std /= std::abs(c.gain);
    channel.delay_s = value(own.delay, channel.delay_std_s) - c.delay_s;
    const double offset = value(own.offset, offset_std) - c.offset;
    const auto off = [&](int i, double change, double std, double felt) {
      return i >= n && std::isfinite(std) && std::abs(change) > significant * std && std::abs(felt) > least_change;
    };
    // Freed by the job, but found where it says that it is not.
    const auto beyond = [&](int i) {
      const InsituParameter& q = all[nth(i)];
      return i < n && q.known_std > 0.0 && std::abs(q.value(p[i]) - q.start) > known_to * q.known_std;
    };
    const bool suspect =
        beyond(own.gain) || beyond(own.delay) ||
        off(own.gain, channel.factor - 1.0, channel.factor_std, channel.factor - 1.0) ||
        off(own.delay, channel.delay_s, channel.delay_std_s, channel.delay_s * quickness(point, own, x)) ||
        off(own.offset, offset, offset_std, offset / rms);
    out.suspect.push_back(suspect);
    out.suspicious = out.suspicious || suspect;
    out.channels.push_back(std::move(channel));
  }
  return true;
}

std::vector<Finding> clipped_channels(const std::vector<InsituExperiment>& experiments) {
  std::vector<Finding> found;
  for (const InsituExperiment& x : experiments)
    for (Index j = 0; j < x.measured.rows(); ++j) {
      std::vector<double> values;
      for (const double m : x.measured.row(j))
        if (std::isfinite(m)) values.push_back(m);
      if (const Clipping clipping = find_clipping(values); clipping.tops >= 2)
        found.push_back({Severity::serious, "channel_clipped", signal_of(x, j),
                         fmt::format("channel {} is clipped: {} flat tops, {:.1f} % of its samples stand at the end of "
                                     "its range",
                                     signal_of(x, j), clipping.tops, 100.0 * clipping.share),
                         "measure again with a larger range, or leave the channel out"});
    }
  return found;
}

std::vector<Finding> odd_samples(const std::vector<InsituExperiment>& experiments) {
  std::vector<Finding> found;
  for (const InsituExperiment& x : experiments)
    for (Index j = 0; j < x.measured.rows(); ++j) {
      const Eigen::VectorXd values = x.measured.row(j);
      for (Finding& one : check_channel({values.data(), static_cast<std::size_t>(values.size())}, 0.0, x.run.step_s,
                                        signal_of(x, j), signal_of(x, j)))
        if (one.code == "spikes" || one.code == "channel_hangs") found.push_back(std::move(one));
    }
  return found;
}

}  // namespace kdyn::inline insitu::internal
