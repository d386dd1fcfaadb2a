// SPDX-License-Identifier: Apache-2.0
// Start values of a hydro mount fit from the data alone  [identify E31].
#pragma once

#include <optional>
#include <vector>

#include "kdyn/identify/internal/hydromount_residuals.hpp"

namespace kdyn::inline identify {

struct HydroFeatures {
  HydroValues values{};          // of all unknowns; those of the decoupler only when one shows
  HydroValues lower{}, upper{};  // bounds
  bool decoupler_shows = false;  // the plateau above resonance grows with amplitude
  double resonance_hz = 0.0;
};

// `exponent`: of the fluid damping; `static_stiffness`: secant of a static loop, when there is one.
HydroFeatures hydro_features(const std::vector<HydroRow>& rows, double exponent,
                             std::optional<double> static_stiffness);

// Damping d + c_n b speed^(n-1) through given resistances: least squares of the relative error. A part that comes out
// negative is made small. Leaves the values alone when the speeds do not tell the two apart.
void fit_damping(const std::vector<double>& speeds, const std::vector<double>& resistances, double exponent,
                 double& linear, double& power);

// Amplitudes grouped into levels (neighbours closer than 10 %), ascending; level of each row.
std::vector<double> amplitude_levels(const std::vector<HydroRow>& rows, std::vector<std::size_t>& level_of_row);

}  // namespace kdyn::inline identify
