// SPDX-License-Identifier: Apache-2.0
// Computed signals at the times of measured samples. A run gives them at its steps; between steps a cubic is taken
// whose values and slopes are those of the steps, the slopes by the five nearest steps [insitu E7]: the curve and its
// slope have no jumps, so that a delay can be searched. The measured samples themselves are never interpolated: that
// would invent data.
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

namespace kdyn::inline insitu {

class Sampling {
 public:
  // Samples on the steps of the run, one for each.
  Sampling() = default;
  // Samples at any times inside the run of `steps` steps, ascending. With fewer than four steps the polynomial through
  // all of them is taken.
  Sampling(const std::vector<double>& times, double step_s, Eigen::Index steps);

  bool on_steps() const { return points_.empty(); }
  double time(Eigen::Index sample, double step_s) const {
    return on_steps() ? static_cast<double>(sample) * step_s : points_[at(sample)].time;
  }
  // Last step that a sample needs.
  Eigen::Index last_step(Eigen::Index sample) const {
    return on_steps() ? sample : points_[at(sample)].first + count_ - 1;
  }

  // rows x (steps + 1) -> rows x samples.
  Eigen::MatrixXd at_samples(const Eigen::MatrixXd& at_steps) const;
  // The transpose: what acts on samples, spread over the steps.
  Eigen::MatrixXd to_steps(const Eigen::MatrixXd& at_samples, Eigen::Index columns) const;
  // Shares of the steps in one sample.
  Eigen::VectorXd spread(Eigen::Index sample, Eigen::Index steps) const;
  // Of one matrix for each step.
  Eigen::MatrixXd at_sample(const std::vector<Eigen::MatrixXd>& at_steps, Eigen::Index sample) const;
  // One row of it.
  void row_at_sample(const std::vector<Eigen::MatrixXd>& at_steps, Eigen::Index sample, Eigen::Index row,
                     Eigen::Ref<Eigen::RowVectorXd> out) const;
  // Slope over time of one signal at a sample; not for samples on steps.
  double slope(const Eigen::MatrixXd& at_steps, Eigen::Index row, Eigen::Index sample) const;

 private:
  struct Point {
    double time = 0.0;
    Eigen::Index first = 0;
    std::array<double, 6> weight{}, slope{};
  };
  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

  Eigen::Index count_ = 6;  // steps that a sample takes part of
  std::vector<Point> points_;
};

}  // namespace kdyn::inline insitu
