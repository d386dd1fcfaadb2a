// SPDX-License-Identifier: Apache-2.0
// Statistics of a least-squares fit: quantiles, robust scale, covariance, and what the data cannot tell apart.
#pragma once

#include <vector>

#include <Eigen/Dense>

namespace kdyn {

// Quantile of Student's t distribution (inverse of the exact incomplete beta form); dof >= 1.
double student_t_quantile(double probability, double dof);

double median(std::vector<double> values);  // of an empty list: 0
// Standard deviation estimated from the median absolute value of residuals about zero (consistent for a normal distribution).
double robust_scale(const std::vector<double>& residuals);
// Correlation of neighbouring residuals, in [-1, 1].
double lag_one_correlation(const std::vector<double>& residuals);

// [numerics E1] Covariance (J^T J)^-1 of whitened residuals (standard deviation 1), by the singular values of J with scaled columns.
// A direction in which the residuals change by less than `insensitive` for a change of its norm 1 in theta counts as not determined:
// it is left out of the covariance and returned.
struct Covariance {
  Eigen::MatrixXd covariance;                    // of the determined directions
  Eigen::VectorXd standard_deviation;            // infinite where a not determined direction takes part
  Eigen::MatrixXd correlation;
  std::vector<Eigen::VectorXd> not_determined;   // unit vectors in theta
};
Covariance covariance_of(const Eigen::MatrixXd& jacobian, double insensitive = 1e-3);

}  // namespace kdyn
