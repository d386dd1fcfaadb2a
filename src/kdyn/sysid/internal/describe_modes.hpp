// SPDX-License-Identifier: Apache-2.0
// Fills the result from the last refinement: state space, misfits, modes with shapes, participation and standard
// deviations.
#pragma once

#include <vector>

#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/internal/candidates.hpp"
#include "kdyn/sysid/refine.hpp"

namespace kdyn::inline sysid::internal {

void describe_modes(RefineResult& fit, const std::vector<Pick>& picks, double added_decay, ModalResult& out);

}  // namespace kdyn::inline sysid::internal
