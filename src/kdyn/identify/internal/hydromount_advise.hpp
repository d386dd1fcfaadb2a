// SPDX-License-Identifier: Apache-2.0
// Test advisor of hydro mounts  [identify E20].
#pragma once

#include "kdyn/identify/advisor.hpp"
#include "kdyn/identify/internal/hydromount_residuals.hpp"

namespace kdyn::inline identify {

// `jacobian`: of the fit, whitened; noise of a point not measured yet. Empty where no measurement would tell more.
std::vector<Advice> advise_hydro(const HydroProblem& problem, const HydroLayout& layout,
                                 const Eigen::MatrixXd& jacobian, double noise_k, double noise_angle, double preload);

}  // namespace kdyn::inline identify
