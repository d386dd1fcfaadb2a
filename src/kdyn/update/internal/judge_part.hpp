// SPDX-License-Identifier: Apache-2.0
// What a finished calibration is worth: findings, intervals, and whether the model describes the test at all.
#pragma once

#include "kdyn/update/update.hpp"

namespace kdyn::update::internal {

void estimate_parameters(PartResult& out, const FullModel& model);
void judge(PartResult& out, const FullModel& model, const UpdateOptions& options);

}  // namespace kdyn::update::internal
