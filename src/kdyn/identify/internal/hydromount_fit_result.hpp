// SPDX-License-Identifier: Apache-2.0
// From the solution of a hydro mount fit to what the user sees: the law with its geometry, intervals, correlations,
// findings.
#pragma once

#include "kdyn/identify/hydromount_fit.hpp"
#include "kdyn/identify/internal/hydromount_residuals.hpp"
#include "kdyn/identify/internal/hydromount_start.hpp"
#include "kdyn/identify/internal/hydromount_transient.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline identify {

void report_hydro_fit(const ElastomerData& data, const HydroMountFitOptions& options, const HydroLayout& layout,
                      const HydroFeatures& features, HydroProblem& problem, const LeastSquaresResult& fit,
                      const HydroTransientFit* transients, HydroMountFitResult& result);

}  // namespace kdyn::inline identify
