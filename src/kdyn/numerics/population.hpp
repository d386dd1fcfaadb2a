// SPDX-License-Identifier: Apache-2.0
// Nominally identical parts: spread of one quantity, capability against a tolerance band, parts that stand apart from
// the others in several quantities at once.
//
//   [numerics E14] capability: Cp = (U - L)/(6 s), Cpk = min(U - mean, mean - L)/(3 s)
//   [numerics E15] distance: d^2 = (x - m)^T S^-1 (x - m) with m and S of the three quarters of the parts that lie
//   closest
//                  together (concentration steps of Rousseeuw and Van Driessen 1999), S scaled so that the median of
//                  d^2 is that of chi^2; beyond the 99.9 % quantile of chi^2 a part stands apart
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline numerics {

struct SampleStatistics {
  std::size_t count = 0;
  double mean = 0.0, std = 0.0, minimum = 0.0, maximum = 0.0, median = 0.0;
  double lower_5 = 0.0, upper_95 = 0.0;  // quantiles of 5 and 95 %
  double trend = 0.0, trend_std = 0.0;   // from the first to the last place, by a straight line
  std::vector<double> edges;             // of the histogram, one more than counts
  std::vector<std::size_t> counts;
};
// At least two finite values. The trend is over `places` (dates, say; as many as values), else over the order given.
SampleStatistics describe_sample(const std::vector<double>& values, const std::vector<double>& places = {});

// Values of several groups: how far apart the means of the groups are, by the ratio of variances between and within
// them, as standard deviations of a normal quantity (Paulson 1942). 0 where a group is all there is.
double difference_of_groups(const std::vector<std::vector<double>>& groups);

struct Capability {
  double lower = 0.0, upper = 0.0, cp = 0.0, cpk = 0.0;
  std::size_t outside = 0;
};
Capability capability_of(const std::vector<double>& values, double lower, double upper);

// Quantile of chi^2 by Wilson and Hilferty: within 2 % for probabilities up to 0.999.
double chi_square_quantile(double probability, double dof);

struct GroupDistance {
  Eigen::VectorXd mean, squared;  // squared distance of each row
  Eigen::MatrixXd covariance;
  double limit = 0.0;  // of squared distances
};
// Rows are parts, columns quantities. Empty when there are fewer than three times as many rows as columns, or a column
// does not vary.
GroupDistance group_distance(const Eigen::MatrixXd& samples);

}  // namespace kdyn::inline numerics
