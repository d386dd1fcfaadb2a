// SPDX-License-Identifier: Apache-2.0
// What a fit starts from: which parameters are free, start values, bounds, and which rows take part.
#pragma once

#include <utility>
#include <vector>

#include "kdyn/identify/internal/candidate.hpp"
#include "kdyn/identify/internal/residuals.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

// Knowledge from outside the data: a sum of unknowns (ln p, mostly one) is about `mean` with this standard deviation.
struct Prior {
  std::vector<std::pair<int, double>> terms;  // index in theta, factor
  double mean = 0.0, sd = 1.0;
};

struct FitSetup {
  Layout layout;
  Eigen::VectorXd start, lower, upper;  // in theta
  std::vector<Prior> priors;
};

// Spread of rubber compounds about the default parameters: one standard deviation is a factor of two. Used when a
// static loop is all there is; it says nothing about frequency and little about friction.
inline constexpr double typical_rubber_spread = 0.7;

// Names in fix, free, bounds and start must be parameters, values inside their physical bounds; throws otherwise.
void check_parameter_names(const ElastomerFitOptions& options);

// The law with the parameters held by the options at their values.
Elastomer<double> held_law(const ElastomerFitOptions& options);

// Everything the data doctor says about the data.
std::vector<Finding> examine_all(const ElastomerData& data);

// Map rows that take part; a finding names how many do not.
std::vector<bool> usable_rows(const ElastomerData& data, const ElastomerFitOptions& options,
                              std::vector<Finding>& findings);

FitSetup make_setup(const ElastomerData& data, const ElastomerFitOptions& options, const Comparison& comparison,
                    bool with_limit, std::vector<Finding>& findings);

// A limit can be looked for: there is a static loop and ymax is not given.
bool may_fit_limit(const ElastomerData& data, const ElastomerFitOptions& options);

// Takes the solution of one setup as the start of another that may have one unknown more.
void continue_from(const FitSetup& from, const Eigen::VectorXd& theta, FitSetup& to);
FitSetup continued(FitSetup setup, const Eigen::VectorXd& theta);

}  // namespace kdyn::inline identify
