// SPDX-License-Identifier: Apache-2.0
// Rows of a hydro mount at other preloads than the one that was fitted: the stiffnesses of main rubber and chamber
// there, everything else held; the law gets a static curve and factors of the chamber  [identify E35].
#pragma once

#include "kdyn/identify/internal/hydromount_fitter.hpp"

namespace kdyn::inline identify {

// Preloads of the map with at least so many rows as a fit takes, other than the one given.
std::vector<double> other_preloads(const StiffnessMap& map, const std::vector<bool>& taken, double than);

struct HydroAtPreload {
  double preload = 0.0, main = 0.0, main_sd = 0.0, chamber = 0.0, chamber_sd = 0.0;  // sd of logarithms
};
HydroAtPreload fit_at_preload(HydroProblem problem, const HydroMountFitOptions& options, const HydroFitted& best,
                              double preload, Progress& progress, HydroMountFitResult& result);
void extend_to_preloads(std::vector<HydroAtPreload> all, HydroMountFitResult& result);

}  // namespace kdyn::inline identify
