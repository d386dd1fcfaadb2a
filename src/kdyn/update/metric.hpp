// SPDX-License-Identifier: Apache-2.0
// How far a model's responses are from measured ones: the mean square of the complex logarithm of their ratio.
//
//   [update E4] eps = log10(H / H_X) with the principal value of the RATIO (its phase wrapped once into (-pi, pi]); metric = mean |eps|^2
//   [update E5] J = dH/ds / (H ln 10); gradient of the metric 2/N sum Re(conj(J) eps)
// Two variants exist for comparison with papers: separate principal values of both logarithms (has jumps of 2 pi / ln 10, not for
// optimising) and amplitude alone. Channels that are structurally zero are excluded by `use`.
#pragma once

#include <vector>

#include "kdyn/update/response.hpp"

namespace kdyn::update {

enum class LogKind { ratio, separate, amplitude };

struct Target {
  Eigen::VectorXd frequency_hz;
  Eigen::MatrixXcd values;  // lines x channels
  std::vector<bool> use;    // one per channel; empty: all

  bool uses(Eigen::Index channel) const { return use.empty() || use[static_cast<std::size_t>(channel)]; }
  Eigen::Index samples() const;
};

double log_metric(const Eigen::MatrixXcd& model, const Target& target, LogKind kind = LogKind::ratio);
double log_metric(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target, double damping, LogKind kind = LogKind::ratio);

// Metric, gradient and Gauss-Newton matrix by the ratios; normal equations are formed line by line, so that memory stays small.
struct MetricSlope {
  double metric = 0.0;
  Eigen::VectorXd gradient;      // of the metric
  Eigen::MatrixXd gauss_newton;  // sum Re(J^H J) * 2 / N
};
MetricSlope metric_slope(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target, double damping, int threads = 0);

}  // namespace kdyn::update
