// SPDX-License-Identifier: Apache-2.0
// The reference for uncertainty: the whole chain repeated with new noise, from responses over identification to
// calibration.
//
//   [update E20] draw b: H_b = H_fit + noise of [update E14] at the lines of the test; poles and residues are fitted again from those of the
//                test, equalised, and the parameters calibrated again from p*. std over the draws; interval p* +- t std, t of Student with
//                draws - 1 degrees of freedom.
// It measures the scatter of this very estimator by noise of the measured size. It does not know errors of the model,
// of sensors' places or of the identification's order. Draws depend on seed and number alone.
#pragma once

#include "kdyn/sysid/identify.hpp"
#include "kdyn/update/checkpoint.hpp"
#include "kdyn/update/target_noise.hpp"

namespace kdyn::update {

struct MonteCarloOptions {
  int draws = 20;
  std::int64_t seed = 1;
};

struct MonteCarlo {
  Eigen::MatrixXd ratios;  // parameters x draws
  Eigen::VectorXd mean, std;
  double quantile = 0.0;  // half interval = quantile * std
};

// `stage`: the one the optimum was found with, target of the test; draws that `noise` holds already (of the same seed)
// are not identified again.
MonteCarlo recalibrate(const fe::ReducedModel& model, const ModalResult& identified, ResponseKind kind,
                       const StageOptions& stages, const Stage& stage, const TargetNoise& noise,
                       const Eigen::VectorXd& optimum, const CalibrationOptions& calibration,
                       const MonteCarloOptions& options, const Checkpoint& checkpoint = {},
                       Progress& progress = silent_progress());

}  // namespace kdyn::update
