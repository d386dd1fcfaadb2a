// SPDX-License-Identifier: Apache-2.0
// Calibration: the parameters whose responses come nearest to the target, by bounded Levenberg-Marquardt with
// continuation in damping.
//
//   [update E6] (A + mu diag A) step = -gradient on the free parameters, projected on the bounds; mu follows the success of the step
//   [update E7] continuation: the target of the first stage has much damping (broad, few minima), each next one less; the last is the wanted one
// Not converging is a status. Parameters are ratios to the nominal values; a fixed one has equal bounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/update/metric.hpp"

namespace kdyn::update {

struct Stage {
  double damping = 0.02;
  Target target;  // equalised to that damping
};

struct CalibrationOptions {
  Eigen::VectorXd lower, upper;  // ratios; empty: 0.4 and 2.5 for all
  int max_iterations = 60;       // per stage
  double gradient_tolerance = 1e-13;
  double step_tolerance = 1e-9;  // relative
  int threads = 1;               // within one calibration; 0: all of the machine
  // [update E33] (x - towards)^T pull (x - towards) is added to the metric; empty: nothing.
  Eigen::MatrixXd pull{};
  Eigen::VectorXd towards{};
};

enum class CalibrationStatus { converged, max_iterations, stopped };
const char* to_string(CalibrationStatus status);

struct Calibration {
  CalibrationStatus status = CalibrationStatus::converged;
  std::string reason;
  Eigen::VectorXd ratio;
  double start_metric = 0.0, metric = 0.0;  // of the last stage
  double gradient = 0.0;                    // largest projected component at the end
  int evaluations = 0;
  Eigen::MatrixXd gauss_newton;  // of the metric at the end, by the ratios
  std::vector<double> history;   // metric after each accepted step, all stages
  std::vector<int> iterations;   // per stage
  std::vector<bool> at_bound;
};

Calibration calibrate(const fe::ReducedModel& model, const std::vector<Stage>& stages, const Eigen::VectorXd& start,
                      const CalibrationOptions& options, Progress& progress = silent_progress());

// Starts within the bounds by Latin hypercube: column per start, the first one nominal. [update E8]
Eigen::MatrixXd latin_hypercube(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, int starts,
                                std::uint64_t seed);

}  // namespace kdyn::update
