// SPDX-License-Identifier: Apache-2.0
// What is wrong with single channels of a test, seen against a calibrated model: a sensor or a force that is turned, two
// that are exchanged, one that is late, one with a wrong factor.
//
//   [update E31] what a correction of one channel, together with a step of all parameters, takes off the sum of squares
// The correction that helps most is made first, the calibration goes on from there, and the rest is looked at again, so
// that a wrong channel does not accuse its neighbours. A factor or a delay is told when it stands out from those of the
// other channels: errors of the model give every channel a little of both. Wrong factors of all sensors together look
// like a wrong mass, and two sensors that see nearly the same cannot be told apart: neither is found.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/dof.hpp"
#include "kdyn/update/calibrate.hpp"

namespace kdyn::update {

enum class ChannelFaultKind { sign, swap, delay, factor };

struct ChannelFault {
  ChannelFaultKind kind = ChannelFaultKind::sign;
  bool force = false;                // an input, else an output
  int index = 0, other = 0;          // of the outputs or inputs; `other` of a swap
  double value = 1.0;                // of its responses, measured over true: factor, or delay in s
  double before = 0.0, after = 0.0;  // metric of the channel's resolved samples without and with the correction
};

// `stage`: the last one, with its channels in use; `resolved`: 1 for samples that count (empty: all).
std::vector<ChannelFault> find_channel_faults(const fe::ReducedModel& model, const Stage& stage,
                                              const Eigen::MatrixXd& resolved, const Eigen::VectorXd& optimum,
                                              const CalibrationOptions& options, int most = 6);

// "sensor 9+Z is turned by 180 deg", "forces 1+X and 2+X are exchanged".
std::string words_of(const ChannelFault& fault, const std::vector<Dof>& outputs, const std::vector<Dof>& inputs);

}  // namespace kdyn::update
