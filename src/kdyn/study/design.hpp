// SPDX-License-Identifier: Apache-2.0
// Designs of many runs: where in (0, 1)^d the runs lie, and what value a place means.
//
//   [study E1] x = F^-1(u)                quantile functions of distributions, cut or not
//   [study E2] Latin hypercube             [study E3] Sobol sequence with a digital shift
//   [study E4] correlation by a Gaussian copula
//   [study E5] A, B and AB_j for sensitivity indices
// Every design depends on its seed alone, not on threads or ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::study {

enum class DistributionKind { uniform, normal, lognormal, triangular };

// uniform: lower, upper. triangular: lower, upper, mode. normal: mean, std. lognormal: mean and std of the quantity itself, both above 0.
// lower and upper cut normal and lognormal ones.
struct Distribution {
  DistributionKind kind = DistributionKind::uniform;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double mean = 0.0, std = 0.0, mode = 0.0;
};
// Throws Error(bad_input) at `where` when the numbers make no distribution.
void check(const Distribution& distribution, const std::string& where);
double quantile(const Distribution& distribution, double probability);

// Rows are runs, columns parameters.
struct Points {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

enum class Sampling { random, latin_hypercube, sobol };
inline constexpr std::size_t most_sobol_columns = 53;
// In (0, 1). A sobol sequence of more columns than there are direction numbers throws Error(bad_input).
Points unit_points(Sampling sampling, std::size_t rows, std::size_t columns, std::uint64_t seed);

// base (columns + 2) rows: for each base point A, B, AB_1 .. AB_d. Of a Sobol sequence in 2 d columns, or of a Latin hypercube where that has too few.
Points sensitivity_points(std::size_t base, std::size_t columns, std::uint64_t seed);

// Moves the points so that the underlying normal quantities have this correlation. Throws Error(bad_input) when it is none.
void correlate(Points& points, const Eigen::MatrixXd& correlation, const std::string& where);

}  // namespace kdyn::study
