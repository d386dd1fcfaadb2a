// SPDX-License-Identifier: Apache-2.0
// A static curve that no loop shows, laid through the sines that feel it  [identify E11].
#pragma once

#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/model_freedom.hpp"

namespace kdyn::inline identify {

// The fit of a setup with a straight static part, or one stiffness per preload, with a spline as its static part.
FitSetup curve_from_sines(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                          const Eigen::VectorXd& straight);

}  // namespace kdyn::inline identify
