// SPDX-License-Identifier: Apache-2.0
// One search from one start, asked and told run by run  [study E13 .. E15].
#pragma once

#include <array>
#include <vector>

#include "kdyn/study/optimise.hpp"

namespace kdyn::study {

class LocalSearch {
 public:
  // scale: of each output; noise: over the scale; difference: step of the slopes.
  LocalSearch(const SearchProblem& problem, const SearchOptions& options, const Eigen::VectorXd& scale, double noise,
              double difference, const std::vector<double>& x, const Eigen::VectorXd& outputs, std::size_t run);

  bool finished() const { return finished_; }
  RunStage stage() const { return stage_; }
  // Points whose outputs come with tell, in this order; `first_run` is the number of the first of them.
  std::vector<std::vector<double>> ask() const;
  void tell(const std::vector<RunOutputs>& outputs, std::size_t first_run);
  void give_up(SearchEnd why);
  const LocalResult& result() const { return result_; }

 private:
  void take_slopes(const std::vector<RunOutputs>& outputs);
  void plan_step();
  void judge_step(const RunOutputs& outputs, std::size_t run);
  void finish(SearchEnd end);
  double objective(const Eigen::VectorXd& y) const;  // scaled
  double violation(const Eigen::VectorXd& y) const;
  double merit(const Eigen::VectorXd& y) const { return objective(y) + penalty_ * violation(y); }
  // The quadratic program about x_; rows of parts and constraints count from `y`. False: it has no solution.
  bool solve(const Eigen::VectorXd& y, double penalty);

  const SearchProblem problem_;
  const Eigen::Index n_, parts_, constraints_;
  const double tolerance_, noise_, difference_;
  Eigen::VectorXd scale_;
  Eigen::VectorXd x_, y_;           // where it is, scaled outputs
  Eigen::MatrixXd slope_, before_;  // of scaled outputs; of the point before
  Eigen::VectorXd step_before_, multipliers_;
  Eigen::MatrixXd curvature_;  // of the Lagrangian, of value and largest
  Eigen::VectorXd step_, trial_;
  double slack_ = 0.0, predicted_ = 0.0, radius_ = 0.2, penalty_ = 10.0;
  bool has_slope_ = false, corrected_ = false, finished_ = false;
  RunStage stage_ = RunStage::slope;
  LocalResult result_;
};

}  // namespace kdyn::study
