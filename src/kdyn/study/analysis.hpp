// SPDX-License-Identifier: Apache-2.0
// What many runs tell: spread of a response, effects of parameters on it, shares of its variance, differences of levels.
//
//   [study E6, E7] Sobol indices of first order and total, [study E8] their intervals by the bootstrap
//   [study E9] linear effects with intervals, [study E10] rank correlation
//   [study E11] levels compared pair by pair
// Values that are not known (failed runs) are NaN and take no part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/study/design.hpp"

namespace kdyn::study {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// Of the values that are known; what needs more of them than there are is NaN.
struct Spread {
  std::size_t count = 0;
  double mean = not_known, mean_lower_95 = not_known, mean_upper_95 = not_known;
  double std = not_known, minimum = not_known, lower_5 = not_known, lower_25 = not_known, median = not_known,
         upper_75 = not_known, upper_95 = not_known, maximum = not_known;
};
Spread spread_of(const std::vector<double>& values);

struct Effect {
  bool determined = false;
  double slope = not_known;                                                // by one unit of the parameter
  double per_std = not_known, lower_95 = not_known, upper_95 = not_known;  // by one standard deviation of the parameter
  double share = not_known;                                                // of the variance of the response
  double rank_correlation = not_known, rank_lower_95 = not_known, rank_upper_95 = not_known;
};
struct EffectsOfResponse {
  std::size_t count = 0;
  double r_squared = not_known;  // of the straight line through all parameters
  std::vector<Effect> effects;   // one for each parameter
};

// Effects of the same parameters on many responses.
class EffectFit {
 public:
  explicit EffectFit(Points parameters);
  EffectsOfResponse of(const std::vector<double>& response) const;

 private:
  void prepare(const std::vector<char>& used) const;

  Points parameters_;
  // Of the runs that count, which are the same for most responses.
  mutable std::vector<char> used_;
  mutable std::vector<double> mean_, std_;
  mutable std::vector<std::vector<double>> ranks_;
  mutable Eigen::MatrixXd covariance_;
  mutable Eigen::VectorXd deviation_;
  mutable std::size_t count_ = 0;
};

struct SensitivityIndex {
  double first = not_known, first_lower_95 = not_known, first_upper_95 = not_known;
  double total = not_known, total_lower_95 = not_known, total_upper_95 = not_known;
};
// Responses of sensitivity_points in its order.
std::vector<SensitivityIndex> sensitivity_indices(const std::vector<double>& response, std::size_t columns,
                                                  std::uint64_t seed, int draws = 1000);
// Base points of which every run is known.
std::size_t whole_base_points(const std::vector<double>& response, std::size_t columns);

// Mean of second - first over pairs of which both are known.
struct PairedDifference {
  std::size_t pairs = 0;
  double mean = not_known, lower_95 = not_known, upper_95 = not_known, std = not_known;
};
PairedDifference paired_difference(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace kdyn::study
