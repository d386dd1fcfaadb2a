// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kdyn::inline identify {

Eigen::MatrixXd spread_about(const Eigen::VectorXd& taken, const std::vector<Alternative>& all) {
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(taken.size(), taken.size());
  double least = std::numeric_limits<double>::infinity(), total = 0.0;
  for (const Alternative& one : all) least = std::min(least, one.cost);
  for (const Alternative& one : all) {
    const double weight = std::exp(least - one.cost);
    if (!(weight > 0.0)) continue;
    const Eigen::VectorXd step = one.theta - taken;
    spread += weight * (step * step.transpose());
    total += weight;
  }
  if (total > 0.0) spread /= total;
  return spread;
}

void add_spread(Covariance& covariance, const Eigen::MatrixXd& spread) {
  covariance.covariance += spread;
  const Eigen::MatrixXd& c = covariance.covariance;
  for (Eigen::Index i = 0; i < c.rows(); ++i) {
    if (std::isfinite(covariance.standard_deviation[i])) covariance.standard_deviation[i] = std::sqrt(c(i, i));
    for (Eigen::Index j = 0; j < c.cols(); ++j) {
      const double scale = std::sqrt(c(i, i) * c(j, j));
      if (i != j && scale > 0.0) covariance.correlation(i, j) = c(i, j) / scale;
    }
  }
}

Eigen::VectorXd in_layout(const Layout& from, const Eigen::VectorXd& theta, const Layout& to, Eigen::VectorXd at) {
  for (std::size_t s = 0; s < slot_count; ++s)
    if (from.at[s] >= 0 && to.at[s] >= 0) at[to.at[s]] = theta[from.at[s]];
  const auto copy = [&](int from_at, int to_at, int count) {
    for (int i = 0; i < count; ++i) at[to_at + i] = theta[from_at + i];
  };
  if (from.mode == StaticMode::spline) copy(from.spline_at, to.spline_at, from.grid.coefficients());
  if (from.mode == StaticMode::per_preload)
    copy(from.preload_at, to.preload_at, static_cast<int>(from.preloads.size()));
  return at;
}

}  // namespace kdyn::inline identify
