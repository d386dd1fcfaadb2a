// SPDX-License-Identifier: Apache-2.0
// All ways of [update E10] to [update E12], [update E19] and [update E20] for one calibrated part, beside each other.
#pragma once

#include "kdyn/update/update.hpp"

namespace kdyn::update::internal {

void add_uncertainty(PartResult& part, const StageOptions& stages, const CalibrationOptions& calibration,
                     const Eigen::VectorXd& variance, const std::vector<bool>& free, const UpdateOptions& options,
                     const Checkpoint& checkpoint, Progress& progress);

}  // namespace kdyn::update::internal
