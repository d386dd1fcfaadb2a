// SPDX-License-Identifier: Apache-2.0
// Least-squares fit of a modal model to frequency responses: B, C and D by alternation, poles by Gauss-Newton steps on
// the way.
//
//   [sysid E7] one side fixed (B, say), C and D follow from linear least squares, real and imaginary parts stacked
//   [sysid E8] variable projection (Kaufman 1975): the derivative with respect to lambda_r, c b^T/(s - lambda_r)^2, is projected off the
//              span of C and D; the reduced normal equations give the pole step
//
// Without weights the Gram matrices factor into sums over lines times b_r^H b_s, so that a step costs about as much as
// one synthesis. With weights each output has Gram matrices of its own; that costs outputs x inputs times more.
//
//   [sysid E15] covariance of the poles: A^-1 (sum sigma_i^2 J_i^T J_i) A^-1 with the projected derivatives J and the information A. The
//              variance sigma_i^2 of a sample is the local mean square of the residuals of its channel (11 lines), or the measured one
//              where that is larger; b is taken as known, which matters only for modes closer than their bandwidth.
// A step that does not reduce the cost is shortened (Levenberg damping); poles stay in the open left half plane, hence
// every model that leaves here is stable. For one input or one output no alternation is needed: the first solution is
// the optimum for given poles.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/sysid/frf_matrix.hpp"
#include "kdyn/sysid/modal_model.hpp"

namespace kdyn::inline sysid {

struct RefineOptions {
  int alternations = 4;          // of B and C before and between pole steps
  int pole_steps = 20;           // 0: poles stay where they are
  double tolerance = 1e-7;       // stop when the cost falls by less than this part in a step,
  double pole_tolerance = 2e-4;  // or no pole moves by more than this part of its half bandwidth
  double min_damping = 1e-6;     // a step may not take a pole beyond this damping ratio
  bool move_residual_poles = false;
  bool uncertainty = false;  // compute pole_covariance
};

struct RefineResult {
  ModalModel model;
  double cost = 0.0;                 // weighted mean square residual over weighted mean square of the data
  std::vector<double> cost_history;  // after each accepted step
  int pole_steps = 0, rejected_steps = 0;
  bool converged = false;
  Eigen::VectorXd removal_cost;  // growth of the cost when a pole is taken out and the rest is solved again
  Eigen::VectorXd local_cost;    // part of the cost within ten half bandwidths of a pole
  double residual_correlation =
      0.0;  // of neighbouring lines, 0 .. 1: near 0 the residual is noise, near 1 something is missing
  // (2 m) x (2 m), order Re, Im of pole 0, 1, ...; zero for fixed poles; empty unless asked for. [sysid E15]
  Eigen::MatrixXd pole_covariance;
};

// `start` needs poles and roles; B and C may be empty. C (output shapes) or B is used as the first fixed side where
// given.
RefineResult refine(const FrfMatrix& frf, const ModalModel& start, const RefineOptions& options);

}  // namespace kdyn::inline sysid
