// SPDX-License-Identifier: Apache-2.0
// Frequency responses as the identification works on them: a full grid of outputs x inputs over the lines of one band.
//
// omega in rad/s, values in SI with time convention exp(+i omega t). Column `output + outputs * input` of `values`
// holds a channel. A channel that was not measured, or holds NaN, is refused: subspace methods need the whole grid.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline sysid {

enum class FrfWeighting {
  none,        // every sample counts by its value: the misfit of the result is what is minimised
  relative,    // 1/|H|^2, with a floor at 1 % of the channel's rms: antiresonances count as much as resonances
  covariance,  // 1/variance of the sample as measured
};

struct FrfMatrix {
  Eigen::VectorXd omega;  // rad/s, increasing
  Eigen::Index outputs = 0, inputs = 0;
  Eigen::MatrixXcd values;   // lines x (outputs * inputs)
  Eigen::MatrixXd weight;    // of squared residuals, same shape; empty: all one
  Eigen::MatrixXd variance;  // of the complex sample, same shape; empty when not measured
  std::vector<Dof> output_dofs, input_dofs;
  std::string output_unit, input_unit;  // empty when unknown

  Eigen::Index lines() const { return omega.size(); }
  Eigen::Index column(Eigen::Index output, Eigen::Index input) const { return output + outputs * input; }
};

// Lines with band_hz[0] <= f <= band_hz[1] (all lines when the band is empty). Throws Error(bad_input) naming the
// missing channel, a band without enough lines, lines out of order.
FrfMatrix frf_matrix(const FrequencyResponse& frf, const std::vector<double>& band_hz);

// Fills `weight`. Covariance weighting of a file without covariance is refused; variances below 1e-4 of the channel's
// median are raised to it, so that a few lucky samples do not outvote all others.
void set_weighting(FrfMatrix& frf, FrfWeighting weighting, const std::string& where);

// Outputs and inputs exchanged; values and weights share their numbers.
FrfMatrix transposed(const FrfMatrix& frf);

// norm(model - measured)/norm(measured) over all lines and channels, unweighted: the misfit that results report. [sysid
// E12]
double misfit(const Eigen::MatrixXcd& model, const Eigen::MatrixXcd& measured);

}  // namespace kdyn::inline sysid
