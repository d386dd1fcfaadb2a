// SPDX-License-Identifier: Apache-2.0
// Responses as a test would give them, from known modes: for rehearsing an updating job, for examples, and for checks
// against known answers.
//
//   [update E1] with one damping ratio per mode; complex normal noise of each channel, independent from line to line
#pragma once

#include <vector>

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/update/response.hpp"

namespace kdyn::update {

// `noise`: root mean square of the noise over the mean magnitude of the channel. Accelerance, (m/s^2)/N.
FrequencyResponse virtual_responses(const ModalForm& modes, const Eigen::VectorXd& damping,
                                    const Eigen::VectorXd& frequency_hz, const std::vector<Dof>& outputs,
                                    const std::vector<Dof>& inputs, double noise, std::uint64_t seed);

// Modes of a full model at given sensors.
ModalForm modes_at(const fe::Modes& modes, const Eigen::MatrixXd& output_rows, const Eigen::MatrixXd& input_rows);

}  // namespace kdyn::update
