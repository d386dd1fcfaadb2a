// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "kdyn/identify/advisor.hpp"
#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline identify {

// Best point, best sweep and best static loop, most useful first. Empty when the fit has no covariance to improve.
std::vector<Advice> advise(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup,
                           const LeastSquaresResult& fit, const std::array<FitGroup, group_count>& groups);

}  // namespace kdyn::inline identify
