// SPDX-License-Identifier: Apache-2.0
// Loss factors of one part, together with all other parameters, on responses as they were measured. [update E32]
//
// Starts at the optimum of the equalised responses. Loss factors begin where the damping ratios of the paired modes put
// them; what no loss factor stands for (the structure itself) is a damping ratio of each mode in the band, alike within
// 50 % [update E33].
#pragma once

#include "kdyn/update/update.hpp"

namespace kdyn::update::internal {

// What a calibration of a part works with.
struct PartSearch {
  std::vector<bool> free;
  std::vector<std::string> names;
  CalibrationOptions calibration;
  StageOptions stages;  // of retests
  GateNoise noise;
  GateOptions gate;
};

// [update E33] Inverse covariance of what the settings say; empty when they say nothing.
Eigen::MatrixXd prior_of(const FullModel& model);
// Prior knowledge as it pulls on a metric over so many samples.
void set_pull(PartSearch& search, const FullModel& model, double sample_variance, double samples);

// Replaces model, last stage, noise and optimum of `out`, and the search by that of all parameters. Needs paired modes.
void calibrate_losses(PartResult& out, const FullModel& full, const UpdateOptions& options, PartSearch& search,
                      Progress& progress);

}  // namespace kdyn::update::internal
