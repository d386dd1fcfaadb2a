// SPDX-License-Identifier: Apache-2.0
// The least-squares search of an elastomer fit: noise from the residuals, weights, and the history of each static loop.
#pragma once

#include <array>

#include "kdyn/identify/internal/alternatives.hpp"
#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/residuals.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline identify {

using FitGroups = std::array<FitGroup, group_count>;

struct Solved {
  Layout layout;
  LeastSquaresResult fit;
  FitGroups groups;
  Eigen::MatrixXd spread;  // of theta, by the histories of the static loops that were not taken; empty: none
};

class Fitter {
 public:
  Fitter(const ElastomerData& data, const ElastomerFitOptions& options, Comparison comparison, Progress& progress);

  // Least squares, noise from the residuals, least squares with them; until the noise levels stand still.
  Solved solve(const FitSetup& setup);
  // The same from known noise levels; held, two solutions can be compared by their cost.
  Solved solve(const FitSetup& setup, const FitGroups& groups, bool update, double tolerance = 1e-12);

  // Finds out for each static loop what the part went through before it, beginning from a solution: the history whose
  // fit leaves least. The solution for the histories taken is returned; what the others would have given is its
  // spread.
  Solved choose_histories(const FitSetup& setup, Solved solved);

  const Comparison& comparison() const { return comparison_; }

 private:
  FitGroups first_groups() const;
  FitGroups without_model_error(FitGroups groups) const;
  void set_weights(const FitGroups& groups);
  double cost_with(const LoopHistory& history, std::size_t loop, const FitSetup& from, const LeastSquaresResult& now);
  bool update_noise(Solved& solved);

  const ElastomerData& data_;
  const ElastomerFitOptions& options_;
  Comparison comparison_;
  Progress& progress_;
  std::vector<double> robust_;
};

}  // namespace kdyn::inline identify
