// SPDX-License-Identifier: Apache-2.0
// Whether the fitted elastomer describes its data, what the fit used and what not.
#pragma once

#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::inline identify {

// Applies the gate of all identifications (numerics/fit_gate.hpp) to a finished fit: status, intervals, findings.
void judge_elastomer(const ElastomerData& data, const ElastomerFitOptions& options, ElastomerFitResult& result,
                     Progress& progress);

}  // namespace kdyn::inline identify
