// SPDX-License-Identifier: Apache-2.0
// Test advisor: which single further measurement would shrink the intervals of the fitted parameters most.
//
// [identify E20]  covariance after the measurement: (J^T J + G^T G)^-1, G its whitened sensitivities at the solution;
// the gain is 1 - mean over the parameters of (standard deviation after / before).
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"

namespace kdyn::inline identify {

struct Advice {
  AxisKind axis = AxisKind::translation;
  std::string kind;  // "point", "sweep" (all frequencies at one amplitude), "static"
  double frequency_hz = 0.0, amplitude = 0.0, preload = 0.0;  // SI; 0 where it does not apply
  double gain = 0.0;     // mean relative reduction of the standard deviations, 0..1
  std::string best_for;  // the parameter that gains most
  double best_gain = 0.0;
  std::string words;
};

}  // namespace kdyn::inline identify
