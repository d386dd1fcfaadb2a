// SPDX-License-Identifier: Apache-2.0
// A static curve that no loop shows: sines of finite amplitude feel how it bends, and a fit that supposes a straight
// one puts the bend into friction  [identify E11].
#pragma once

#include "kdyn/identify/internal/elastomer_fitter.hpp"

namespace kdyn::inline identify {

// Maps are all there is, and neither the static stiffness nor its shape is held.
bool sines_alone(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup);

// What a bend would change, as the tangent at a solution without one sees it.
struct BendFreedom {
  double likely = 0.0;    // that the static curve bends, between 0 and 1
  Eigen::MatrixXd spread;  // of theta, to be added to the covariance of the solution
};
BendFreedom bend_freedom(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                         const Solved& straight);

// The same fit with a spline as its static part, laid through the sines.
FitSetup curve_from_sines(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                          const Eigen::VectorXd& straight);

}  // namespace kdyn::inline identify
