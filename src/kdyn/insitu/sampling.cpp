// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"

namespace kdyn::inline insitu {

using Eigen::Index;
using Eigen::MatrixXd;

Sampling::Sampling(const std::vector<double>& times, double step_s, Index steps)
    : count_(std::min<Index>(4, steps + 1)) {
  demand(!times.empty() && steps >= 1, "there are samples and steps");
  points_.reserve(times.size());
  for (const double t : times) {
    Point p;
    p.time = t;
    const double x = t / step_s;
    demand(x >= -1e-9 && x <= static_cast<double>(steps) + 1e-6, "samples lie inside the run");
    p.first = std::clamp<Index>(static_cast<Index>(std::floor(x)) - 1, 0, steps + 1 - count_);
    // Lagrange: 1 at its own step, 0 at the others.
    for (Index k = 0; k < count_; ++k) {
      double weight = 1.0;
      for (Index j = 0; j < count_; ++j)
        if (j != k) weight *= (x - static_cast<double>(p.first + j)) / static_cast<double>(k - j);
      p.weight[at(k)] = weight;
    }
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

MatrixXd Sampling::at_sample(const std::vector<MatrixXd>& at_steps, Index sample) const {
  if (on_steps()) return at_steps[at(sample)];
  const Point& p = points_[at(sample)];
  MatrixXd out = p.weight[0] * at_steps[at(p.first)];
  for (Index k = 1; k < count_; ++k) out += p.weight[at(k)] * at_steps[at(p.first + k)];
  return out;
}

}  // namespace kdyn::inline insitu
