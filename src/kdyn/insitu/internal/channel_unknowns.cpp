// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/internal/channel_unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::size_t place_in(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ChannelCalibration given_calibration(const InsituExperiment& x, Index j) {
  return x.calibration.empty() ? ChannelCalibration{} : x.calibration[place_in(j)];
}

double rms_of_row(const MatrixXd& measured, Index j) {
  double sum = 0.0, square = 0.0, count = 0.0;
  for (const double m : measured.row(j))
    if (std::isfinite(m)) sum += m, square += m * m, count += 1.0;
  return count > 0.0 ? std::sqrt(std::max(0.0, square / count - sum * sum / (count * count))) : 0.0;
}

std::vector<ChannelOwn> add_channel_unknowns(const std::vector<InsituExperiment>& experiments,
                                             std::vector<InsituParameter>& parameters) {
  std::vector<ChannelOwn> all;
  for (std::size_t e = 0; e < experiments.size(); ++e)
    for (Index j = 0; j < experiments[e].measured.rows(); ++j) {
      ChannelOwn own{e, j};
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const InsituParameter& p = parameters[i];
        if (p.of == InsituParameter::Of::model || p.of == InsituParameter::Of::time_offset ||
            p.channel[e] != static_cast<int>(j))
          continue;
        (p.of == InsituParameter::Of::gain     ? own.gain
         : p.of == InsituParameter::Of::offset ? own.offset
                                               : own.delay) = static_cast<int>(i);
      }
      const ChannelCalibration c = given_calibration(experiments[e], j);
      const auto add = [&](InsituParameter::Of of, double start, double scale) {
        InsituParameter p;
        p.of = of;
        p.start = start, p.scale = scale;
        p.channel.assign(experiments.size(), -1);
        p.channel[e] = static_cast<int>(j);
        if (of == InsituParameter::Of::delay) p.lower = start - widest_delay, p.upper = start + widest_delay;
        parameters.push_back(std::move(p));
        return static_cast<int>(parameters.size()) - 1;
      };
      if (own.gain < 0) own.gain = add(InsituParameter::Of::gain, c.gain, std::max(std::abs(c.gain), 1e-12));
      if (own.offset < 0)
        own.offset = add(InsituParameter::Of::offset, c.offset, rms_of_row(experiments[e].measured, j));
      if (own.delay < 0) own.delay = add(InsituParameter::Of::delay, c.delay_s, 1e-3);
      all.push_back(own);
    }
  return all;
}

InformationInverse inverse_of(const MatrixXd& A) {
  VectorXd size = A.diagonal().cwiseMax(1e-300).cwiseSqrt();
  const MatrixXd scaled = size.cwiseInverse().asDiagonal() * A * size.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(scaled);
  VectorXd inverse = VectorXd::Zero(A.rows());
  VectorXd lost = VectorXd::Zero(A.rows());
  for (Index i = 0; i < A.rows(); ++i) {
    if (eigen.eigenvalues()[i] > 1e-9)
      inverse[i] = 1.0 / eigen.eigenvalues()[i];
    else
      lost = lost.cwiseMax(eigen.eigenvectors().col(i).cwiseAbs());
  }
  InformationInverse out;
  out.covariance = size.cwiseInverse().asDiagonal() *
                   (eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose()) *
                   size.cwiseInverse().asDiagonal();
  out.deviation = out.covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (Index i = 0; i < A.rows(); ++i)
    if (lost[i] > 1e-3) out.deviation[i] = std::numeric_limits<double>::infinity();
  return out;
}

std::string signal_of(const InsituExperiment& x, Index j) {
  return place_in(j) < x.signals.size() ? x.signals[place_in(j)] : fmt::format("signal {}", j + 1);
}

double quickness(const InsituPoint& point, const ChannelOwn& own, const InsituExperiment& x) {
  double slope = 0.0, value = 0.0;
  const auto row = point.steps[own.experiment].row(own.channel);
  const double mean = row.mean();
  for (Index n = 1; n < row.size(); ++n) {
    slope += std::pow((row[n] - row[n - 1]) / x.run.step_s, 2);
    value += std::pow(row[n] - mean, 2);
  }
  return value > 0.0 ? std::sqrt(slope / value) : 0.0;
}

}  // namespace kdyn::inline insitu::internal
