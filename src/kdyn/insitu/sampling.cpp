// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"

namespace kdyn::inline insitu {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

// Slope at one of five neighbours, of the polynomial through all five; times 12 and the step.
constexpr double slope_by_five[5][5] = {{-25.0, 48.0, -36.0, 16.0, -3.0},
                                        {-3.0, -10.0, 18.0, -6.0, 1.0},
                                        {1.0, -8.0, 0.0, 8.0, -1.0},
                                        {-1.0, 6.0, -18.0, 10.0, 3.0},
                                        {3.0, -16.0, 36.0, -48.0, 25.0}};

}  // namespace

Sampling::Sampling(const std::vector<double>& times, double step_s, Index steps)
    : count_(std::min<Index>(6, steps + 1)) {
  demand(!times.empty() && steps >= 1, "there are samples and steps");
  points_.reserve(times.size());
  for (const double t : times) {
    Point p;
    p.time = t;
    const double x = t / step_s;
    demand(x >= -1e-6 && x <= static_cast<double>(steps) + 1e-6, "samples lie inside the run");
    const Index i = std::clamp<Index>(static_cast<Index>(std::floor(x)), 0, steps - 1);
    if (count_ < 5) {
      // Lagrange: 1 at its own step, 0 at the others.
      for (Index k = 0; k < count_; ++k) {
        double weight = 1.0, slope = 0.0;
        for (Index j = 0; j < count_; ++j) {
          if (j == k) continue;
          const double factor = (x - static_cast<double>(j)) / static_cast<double>(k - j);
          slope = slope * factor + weight / static_cast<double>(k - j);
          weight *= factor;
        }
        p.weight[at(k)] = weight, p.slope[at(k)] = slope / step_s;
      }
      points_.push_back(p);
      continue;
    }
    // [insitu E7] Hermite between steps i and i + 1.
    p.first = std::clamp<Index>(i - 2, 0, steps + 1 - count_);
    const double s = x - static_cast<double>(i);
    const auto put = [&](Index step, double value, double slope) {
      p.weight[at(step - p.first)] += value, p.slope[at(step - p.first)] += slope / step_s;
    };
    const auto put_slope = [&](Index step, double value, double slope) {
      const Index from = std::clamp<Index>(step - 2, 0, steps - 4);
      for (Index k = 0; k < 5; ++k) {
        const double share = slope_by_five[step - from][k] / 12.0;
        if (share != 0.0) put(from + k, share * value, share * slope);
      }
    };
    put(i, 1.0 + s * s * (2.0 * s - 3.0), 6.0 * s * (s - 1.0));
    put(i + 1, s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s));
    put_slope(i, s * (1.0 - s) * (1.0 - s), 1.0 + s * (3.0 * s - 4.0));
    put_slope(i + 1, s * s * (s - 1.0), s * (3.0 * s - 2.0));
    points_.push_back(p);
  }
}

MatrixXd Sampling::at_samples(const MatrixXd& at_steps) const {
  if (on_steps()) return at_steps;
  MatrixXd out = MatrixXd::Zero(at_steps.rows(), static_cast<Index>(points_.size()));
  for (std::size_t i = 0; i < points_.size(); ++i)
    for (Index k = 0; k < count_; ++k)
      out.col(static_cast<Index>(i)) += points_[i].weight[at(k)] * at_steps.col(points_[i].first + k);
  return out;
}

MatrixXd Sampling::to_steps(const MatrixXd& at_samples, Index columns) const {
  if (on_steps()) return at_samples;
  MatrixXd out = MatrixXd::Zero(at_samples.rows(), columns);
  for (std::size_t i = 0; i < points_.size(); ++i)
    for (Index k = 0; k < count_; ++k)
      out.col(points_[i].first + k) += points_[i].weight[at(k)] * at_samples.col(static_cast<Index>(i));
  return out;
}

Eigen::VectorXd Sampling::spread(Index sample, Index steps) const {
  if (on_steps()) return Eigen::VectorXd::Unit(steps, sample);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(steps);
  for (Index k = 0; k < count_; ++k) out[points_[at(sample)].first + k] = points_[at(sample)].weight[at(k)];
  return out;
}

MatrixXd Sampling::at_sample(const std::vector<MatrixXd>& at_steps, Index sample) const {
  if (on_steps()) return at_steps[at(sample)];
  const Point& p = points_[at(sample)];
  MatrixXd out = p.weight[0] * at_steps[at(p.first)];
  for (Index k = 1; k < count_; ++k) out += p.weight[at(k)] * at_steps[at(p.first + k)];
  return out;
}

void Sampling::row_at_sample(const std::vector<MatrixXd>& at_steps, Index sample, Index row,
                             Eigen::Ref<Eigen::RowVectorXd> out) const {
  if (on_steps()) {
    out = at_steps[at(sample)].row(row);
    return;
  }
  const Point& p = points_[at(sample)];
  out = p.weight[0] * at_steps[at(p.first)].row(row);
  for (Index k = 1; k < count_; ++k) out += p.weight[at(k)] * at_steps[at(p.first + k)].row(row);
}

double Sampling::slope(const MatrixXd& at_steps, Index row, Index sample) const {
  const Point& p = points_[at(sample)];
  double sum = 0.0;
  for (Index k = 0; k < count_; ++k) sum += p.slope[at(k)] * at_steps(row, p.first + k);
  return sum;
}

}  // namespace kdyn::inline insitu
