// SPDX-License-Identifier: Apache-2.0
// Three gradients of the objective at one point.
#pragma once

#include "kdyn/insitu/internal/problem.hpp"

namespace kdyn::inline insitu::internal {

// Adjoint, direct sensitivity, central differences; `noise` weighs end points.
InsituGradientCheck check_gradient(std::vector<InsituExperiment> experiments,
                                   const std::vector<InsituParameter>& parameters,
                                   const std::vector<InsituPrior>& priors, const Eigen::VectorXd& p0, double noise,
                                   int& evaluations);

}  // namespace kdyn::inline insitu::internal
