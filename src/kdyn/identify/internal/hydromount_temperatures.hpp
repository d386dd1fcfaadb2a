// SPDX-License-Identifier: Apache-2.0
// Rows of a hydro mount at other temperatures than the one it was identified at: factors on the stiffness and losses of
// both rubbers and on the damping of the fluid there, everything else held  [identify E36].
#pragma once

#include "kdyn/identify/internal/hydromount_fitter.hpp"

namespace kdyn::inline identify {

TemperatureLevel reference_temperature(double temperature_c, std::size_t rows);
TemperatureLevel fit_at_temperature(HydroProblem problem, const HydroMountFitOptions& options, const HydroFitted& best,
                                    double temperature_c, Progress& progress, HydroMountFitResult& result);
// The law gets the tables.
void extend_to_temperatures(HydroMountFitResult& result);

}  // namespace kdyn::inline identify
