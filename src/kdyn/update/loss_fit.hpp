// SPDX-License-Identifier: Apache-2.0
// Stiffness and loss factors together, on the responses as measured.
//
//   [update E32] K(p, eta) = sum_q theta_q(p) (1 + i eta_q) K_q, eta_q the loss factor of the springs or the material of a term; all other damping
//                is one ratio for each mode. H = -w^2 Y [diag(W^2 - w^2 + 2 i xi W w) + i K'']^-1 U in the modes at p
//   [update E33] (H - H_X)/sigma, sigma^2 = noise^2 + (0.02 |H_X|)^2: samples where the model cannot be right to 2 % do not decide alone
// Loss factors are constant over frequency, as rubber's nearly are over a band of responses. Hysteretic damping is exact
// here: the stiffness is k', not |k*|. Starts where the calibration by equalised responses ended; ratios of modes are
// held near the common one where the responses do not tell them.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/update/response.hpp"

namespace kdyn::update {

struct LossData {
  Eigen::VectorXd frequency_hz;
  Eigen::MatrixXcd values;         // accelerance, lines x channels
  Eigen::MatrixXd noise_variance;  // of complex samples, lines x channels
  std::vector<bool> use;           // channels
};

struct LossOptions {
  Eigen::VectorXd lower, upper;  // ratios of all parameters; equal: held
  std::vector<int> loss;         // parameters that stand for loss factors (their ratio is 1)
  Eigen::VectorXd start;         // of the loss factors
  double background = 0.01;      // damping ratio of modes beside the loss factors
  int max_iterations = 40;
};

struct LossFit {
  bool converged = false;
  Eigen::VectorXd ratio, loss, background;
  Eigen::VectorXd ratio_std, loss_std;  // by noise and by what the model leaves over
  double model_to_noise = 0.0;          // root of what is left over what noise leaves
  double cost_before = 0.0, cost = 0.0;
  int iterations = 0;
};

LossFit fit_losses(const fe::ReducedModel& model, const LossData& data, const Eigen::VectorXd& ratio,
                   const LossOptions& options, Progress& progress = silent_progress());

}  // namespace kdyn::update
