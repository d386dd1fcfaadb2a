// SPDX-License-Identifier: Apache-2.0
// What a fit leaves out although the part may have it: a static curve that bends where no loop shows it, a limit of
// friction that was not seen. Each is a quantity more, as the tangent at the solution sees it; what the data do not
// tell of it widens the intervals  [identify E11].
#pragma once

#include "kdyn/identify/internal/elastomer_fitter.hpp"

namespace kdyn::inline identify {

// What is known of a bend before: over the largest amplitude the stiffness changes by about this share.
inline constexpr double usual_change = 0.3;

double largest_amplitude(const ElastomerData& data, const Comparison& comparison);
std::vector<double> preloads_of(const ElastomerData& data, const Comparison& comparison);

struct ModelFreedom {
  double likely = 0.0;     // that it is there at all, between 0 and 1
  double estimate = 0.0;   // of the only or the last quantity, in its standard deviations
  Eigen::MatrixXd spread;  // of theta where it is there, to be added to the covariance of the solution
};

// Maps or transients are all there is, and neither the static stiffness nor its shape is held.
bool curve_is_open(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup);

// The static part bends: for each preload a stiffness of sines that grows with the square of their amplitude; along a
// transient force that grows with the square and the cube of the distance from its first sample.
ModelFreedom freedom_to_bend(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                             const Solved& straight);

// Friction is limited: rdl/ymax above zero.
ModelFreedom freedom_of_limit(const Comparison& comparison, const FitSetup& setup, const Solved& unlimited);

// [identify E8] A limit that was found is as uncertain as its distance from none: its logarithm is far from normal when
// infinity is not much worse. `gain`: chi-square of no limit less that of the one found. To be added to the covariance.
Eigen::MatrixXd skewness_of_limit(const FitSetup& setup, const Solved& limited, double gain);

}  // namespace kdyn::inline identify
