// SPDX-License-Identifier: Apache-2.0
// The verdict on a fitted hydro mount: the one gate of all identifications, and what was used.
#pragma once

#include "kdyn/identify/hydromount_fit.hpp"

namespace kdyn::inline identify {

void judge_hydro(const ElastomerData& data, const HydroMountFitOptions& options, HydroMountFitResult& result);

}  // namespace kdyn::inline identify
