// SPDX-License-Identifier: Apache-2.0
// What an error of the model may do to calibrated parameters, judged by what the model leaves over.
//
//   [update E30] two ways, of which the larger counts for each parameter:
//     - how far it moves when a block of lines (median over blocks of several widths), a sensor or a force is left out (jackknife of the linearised
//       calibration; the largest), times sqrt(1 - (1.2/r)^2): the part of the deviation that is no noise
//     - its standard deviation when every entry of modal stiffness and mass has an independent relative error, of the size that leaves over what is left
// Errors that a parameter takes up completely leave nothing over and cannot be seen by any such method. The most common
// of them, a mesh that is too coarse, is looked at by changing it (internal/mesh_part.hpp).
#pragma once

#include <vector>

#include "kdyn/update/metric.hpp"

namespace kdyn::update {

// Standard deviations of the ratios.
struct ModelErrorSpread {
  Eigen::VectorXd by_lines, by_outputs, by_inputs;  // jackknife, all that is left over
  Eigen::VectorXd by_modes;                         // random errors of modal stiffness and mass
  double modal_error = 0.0;                         // their relative size
  double excess = 0.0;                              // 1 - (1.2/r)^2

  Eigen::VectorXd std() const;  // [update E30]
};

// The part of the deviation that is no noise, of r [update E29].
double model_error_excess(double model_to_noise);

// `pull`: of prior knowledge on the sum of squares [update E33]; empty: none.
// `target`: with the channels and samples that count; `noise_metric`: what noise leaves of its metric; `blocks` of lines at most.
ModelErrorSpread model_error_spread(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target,
                                    double damping, double noise_metric, const std::vector<bool>& free,
                                    const Eigen::MatrixXd& pull = {}, int blocks = 14);

}  // namespace kdyn::update
