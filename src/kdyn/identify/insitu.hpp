// SPDX-License-Identifier: Apache-2.0
// In-situ identification: parameters of mount laws (and masses) of a multibody model from signals measured on the assembled system.
//
// Gauss-Newton with damping (Levenberg-Marquardt) on the logarithms of the parameters; residuals are weighted by the inverse size of each
// measured signal. The Jacobian is the exact direct sensitivity of the scheme that ran; the gradient is computed a second time by the discrete
// adjoint and compared (gradient_check).
//
//   [identify E50]  S = sum_j w_j^2 sum_n (y_j(n) - m_j(n))^2,  w_j = 1/rms(m_j - mean);  (J^T J + mu diag) dp = -J^T r,  p = log(value)
//   [identify E51]  covariance of p: s^2 (J^T J)^-1, s^2 = S/(samples - parameters); intervals value exp(-+1.96 std)
// Valid where noise is independent from sample to sample and of one size relative to its signal. Not done: priors, several experiments.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn {

struct InsituOptions {
  int max_iterations = 40;
  double tolerance = 1e-9;   // change of every log parameter
  double max_factor = 20.0;  // a parameter stays within start / max_factor .. start * max_factor
  bool check_gradient = true;
};
template <>
const FieldTable& field_table<InsituOptions>();

struct InsituParameter {
  std::string name, unit;
  mbs::Parameter parameter;
};

struct InsituIteration {
  double objective = 0.0;
  std::vector<double> values;
};

struct InsituResult {
  std::string status, reason;  // converged | not_converged | stopped | failed
  std::vector<ParameterEstimate> parameters;
  Eigen::MatrixXd correlation;
  std::vector<InsituIteration> history;
  double misfit = 0.0;          // rms of the weighted residual
  double gradient_check = 0.0;  // largest difference of both gradients over the largest component, at the start
  Eigen::MatrixXd model;        // outputs x samples at the end
};

// Measured signals: outputs x (steps + 1), one column per step of the run. The parameters' values in `model` are the start.
InsituResult identify_in_situ(const mbs::Model& model, const mbs::RunOptions& run, const std::vector<mbs::Output>& outputs,
                              const Eigen::MatrixXd& measured, const std::vector<InsituParameter>& parameters, const InsituOptions& options,
                              Progress& progress);

}  // namespace kdyn
