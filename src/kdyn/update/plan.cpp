// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"
#include "kdyn/sysid/shapes.hpp"
#include "kdyn/update/response.hpp"

namespace kdyn::update {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SensorChoice choose_sensors(const MatrixXd& shapes, int count, double alike) {
  const Index modes = shapes.cols();
  if (count < modes || count > shapes.rows())
    throw_bad_input(
        "sensors",
        fmt::format("{} sensors cannot be chosen for {} modes from {} candidates", count, modes, shapes.rows()),
        "take at least as many sensors as modes and at most as many as there are candidates");
  SensorChoice out;
  // [update E22] strongest first; a later one that sees the modes alike is dropped as long as enough remain.
  std::vector<int> order(static_cast<std::size_t>(shapes.rows()));
  std::iota(order.begin(), order.end(), 0);
  const VectorXd strength = shapes.rowwise().squaredNorm();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return strength[a] > strength[b]; });
  std::vector<int> kept, doubtful;
  for (const int i : order) {
    const bool repeats = std::any_of(kept.begin(), kept.end(), [&](int j) {
      const double product = shapes.row(i).dot(shapes.row(j));
      return product * product > alike * strength[i] * strength[j];
    });
    (repeats || !(strength[i] > 0.0) ? doubtful : kept).push_back(i);
  }
  while (static_cast<int>(kept.size()) < count) kept.push_back(doubtful.front()), doubtful.erase(doubtful.begin());
  out.rejected_alike = static_cast<int>(doubtful.size());
  // [update E21]
  const auto independence = [&](const std::vector<int>& rows) {
    const MatrixXd phi = shapes(rows, Eigen::all);
    const MatrixXd q = first_columns_of_q(phi, modes);
    return VectorXd(q.rowwise().squaredNorm());
  };
  while (static_cast<int>(kept.size()) > count) {
    Index weakest = 0;
    independence(kept).minCoeff(&weakest);
    kept.erase(kept.begin() + weakest);
  }
  const VectorXd share = independence(kept);
  out.independence.assign(share.data(), share.data() + share.size());
  const MatrixXd phi = shapes(kept, Eigen::all);
  const Eigen::JacobiSVD<MatrixXd> svd(phi);
  out.condition = svd.singularValues()[0] / svd.singularValues()[modes - 1];
  MatrixXd mac = mac_matrix(phi.cast<std::complex<double>>(), phi.cast<std::complex<double>>());
  mac.diagonal().setZero();
  out.largest_off_diagonal_mac = mac.maxCoeff();
  out.chosen = std::move(kept);
  return out;
}

VectorXd lines_from_poles(const VectorXd& frequency_hz, double min_hz, double max_hz, double damping,
                          double per_half_bandwidth, double spread) {
  const VectorXd between = frequency_lines(min_hz, max_hz, damping, 0.25);
  std::vector<double> all(between.data(), between.data() + between.size());
  const int steps = static_cast<int>(std::ceil(spread * per_half_bandwidth));
  for (const double f : frequency_hz)
    for (int k = -steps; k <= steps; ++k)
      if (const double line = f * (1.0 + k * damping / per_half_bandwidth); line >= min_hz && line <= max_hz)
        all.push_back(line);  // [update E23]
  std::sort(all.begin(), all.end());
  // Lines nearer than half of the wanted distance tell the same.
  std::vector<double> kept;
  for (const double line : all)
    if (kept.empty() || line - kept.back() >= 0.5 * damping / per_half_bandwidth * kept.back()) kept.push_back(line);
  return Eigen::Map<const VectorXd>(kept.data(), static_cast<Index>(kept.size()));
}

}  // namespace kdyn::update
