// SPDX-License-Identifier: Apache-2.0
// What the data leave open besides the parameters: the history of a static loop, and whether friction is limited. Each
// is a hypothesis with a solution of its own; one is taken, and the others widen the intervals by what they would
// have changed, as likely as they are  [identify E8].
#pragma once

#include <vector>

#include "kdyn/identify/internal/candidate.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {

struct Alternative {
  double cost = 0.0;  // half the chi-square of its solution, with the weights that all of one question share
  Eigen::VectorXd theta;
};

// [identify E8] Second moment of the alternatives about the one that was taken: sum of w (theta - taken)(theta -
// taken)^T with w = exp(-cost) over their sum. `all` holds the one taken too.
Eigen::MatrixXd spread_about(const Eigen::VectorXd& taken, const std::vector<Alternative>& all);

// What else theta may vary by: standard deviations and correlations follow.
void add_spread(Covariance& covariance, const Eigen::MatrixXd& spread);

// A solution in the unknowns of another layout; unknowns that it does not have stay where `to` has them.
Eigen::VectorXd in_layout(const Layout& from, const Eigen::VectorXd& theta, const Layout& to, Eigen::VectorXd at);

}  // namespace kdyn::inline identify
