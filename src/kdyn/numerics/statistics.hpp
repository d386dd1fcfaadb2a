// SPDX-License-Identifier: Apache-2.0
// Statistics of a least-squares fit: quantiles, robust scale, covariance, and what the data cannot tell apart.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline numerics {

// Quantile of Student's t distribution, 0 < probability < 1 and dof >= 1 (may be infinite: the normal distribution)
// [numerics E2].
double student_t_quantile(double probability, double dof);

double median(std::vector<double> values);  // of an empty list: 0
// Standard deviation estimated from the median absolute value of residuals about zero (consistent for a normal
// distribution)  [numerics E7].
double robust_scale(const std::vector<double>& residuals);
// Correlation of neighbouring residuals of mean zero, in [-1, 1].
double lag_one_correlation(const std::vector<double>& residuals);

// [numerics E1] Covariance (J^T J)^-1 of theta for whitened residuals (standard deviation 1), by the singular values of
// J. A direction counts as not determined when a step of norm 1 along it changes the residuals by no more than
// `insensitive` (in standard deviations), or by less than rounding leaves of the best determined one: it is left out of
// the covariance and returned. Meant for theta of similar scale, e.g. logarithms: the norm of theta has to mean
// something.
struct Covariance {
  Eigen::MatrixXd covariance;          // of the determined directions
  Eigen::VectorXd standard_deviation;  // infinite where a not determined direction takes part
  Eigen::MatrixXd correlation;
  std::vector<Eigen::VectorXd> not_determined;  // unit vectors in theta
};
Covariance covariance_of(const Eigen::MatrixXd& jacobian, double insensitive = 1e-3);

}  // namespace kdyn::inline numerics
