// SPDX-License-Identifier: Apache-2.0
// How far a model's responses are from measured ones: the mean square of the complex logarithm of their ratio.
//
//   [update E4] eps = log10(H / H_X) with the principal value of the RATIO (its phase wrapped once into (-pi, pi]); metric = mean |eps|^2
//   [update E5] J = dH/ds / (H ln 10); gradient of the metric 2/N sum Re(conj(J) eps)
// Two variants exist for comparison with papers: separate principal values of both logarithms (has jumps of 2 pi / ln
// 10, not for optimising) and amplitude alone. Channels that are structurally zero are excluded by `use`, samples that
// noise hides by `weight` (target_noise.hpp); the metric is then the weighted mean.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/update/response.hpp"

namespace kdyn::update {

enum class LogKind { ratio, separate, amplitude };

struct Target {
  Eigen::VectorXd frequency_hz;
  Eigen::MatrixXcd values;  // lines x channels
  std::vector<bool> use;    // one per channel; empty: all
  Eigen::MatrixXd weight;   // of every sample, lines x channels; empty: all one

  bool uses(Eigen::Index channel) const { return use.empty() || use[static_cast<std::size_t>(channel)]; }
  double weight_at(Eigen::Index line, Eigen::Index channel) const {
    return weight.size() == 0 ? 1.0 : weight(line, channel);
  }
  Eigen::Index samples() const;  // of the channels in use
  double total_weight() const;   // of the same
};

// log10(a / b) with the principal value of the ratio [update E4]; good to a few units of the last digit.
std::complex<double> log10_ratio(std::complex<double> a, std::complex<double> b);

double log_metric(const Eigen::MatrixXcd& model, const Target& target, LogKind kind = LogKind::ratio);
double log_metric(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target, double damping,
                  LogKind kind = LogKind::ratio, int threads = 1);

// Metric, gradient and Gauss-Newton matrix by the ratios; normal equations are formed line by line, so that memory
// stays small. Sums are over blocks of lines in order: the number of threads (0: all of the machine) does not show in
// the result.
struct MetricSlope {
  double metric = 0.0;
  Eigen::VectorXd gradient;      // of the metric
  Eigen::MatrixXd gauss_newton;  // sum w Re(J^H J) * 2 / sum w
};
MetricSlope metric_slope(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target,
                         double damping, int threads = 1);

}  // namespace kdyn::update
