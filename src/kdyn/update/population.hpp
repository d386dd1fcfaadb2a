// SPDX-License-Identifier: Apache-2.0
// Several nominally identical parts: how much they differ from each other, and how much of it is measurement noise.
//
//   [update E24] parameter p_k of part k with noise variance v_k: random effects with known variances (DerSimonian and Laird 1986).
//                w = 1/v, Q = sum w (p - mean_w)^2, tau^2 = max(0, (Q - (n - 1))/(sum w - sum w^2/sum w)) is the variance between parts;
//                mean with weights 1/(v + tau^2)
//   [update E25] p-value of Q under no difference: chi^2 with n - 1 degrees of freedom (Wilson-Hilferty)
// Needs the noise of each part: re-calibration, else what the gate predicts. Too small a noise makes everything a
// difference between parts.
#pragma once

#include "kdyn/update/update.hpp"

namespace kdyn::update {

struct ParameterSpread {
  std::string name, unit;
  double mean = 0.0, mean_std = 0.0;  // of the population
  double observed_std = 0.0;          // between the estimates
  double noise_std = 0.0;             // root mean square of the parts
  double between_std = 0.0;           // tau
  double p_value = 1.0;               // of no difference between parts
};

struct Population {
  std::vector<ParameterSpread> parameters;
  Eigen::MatrixXd cross_metric;  // (i, j): model of part i against the responses of part j, all live channels
  Eigen::VectorXd nominal_metric;
};

Population compare_parts(const FullModel& model, const std::vector<PartResult>& parts);

}  // namespace kdyn::update
