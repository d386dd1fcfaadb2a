// SPDX-License-Identifier: Apache-2.0
// A finished part as one row of numbers, so that parts can be calibrated by different processes and reported by one; and back.
//
// Every number keeps all its bits. Of the identification only modes and misfit travel: diagram, responses and state space stay where they were made.
#pragma once

#include <vector>

#include "kdyn/update/update.hpp"

namespace kdyn::update::internal {

std::vector<double> packed(const PartResult& part);
PartResult unpacked(const std::vector<double>& row);

}  // namespace kdyn::update::internal
