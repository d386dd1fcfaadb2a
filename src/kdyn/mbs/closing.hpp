// SPDX-License-Identifier: Apache-2.0
// Joints whose markers do not meet as the model gives them. A run closes them by the least change of position [mbs
// E13]; a misprint in one hard point would so change a suspension in silence.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

// A finding for each joint that is open by more than 1e-6 (m, or sine of an angle). Throws Error(bad_input) when one is
// open by more than `limit`. Drives are told and never refused: their bodies are put where the motion begins.
std::vector<Finding> check_closing(const System& system, double limit, const std::string& where);

}  // namespace kdyn::mbs
