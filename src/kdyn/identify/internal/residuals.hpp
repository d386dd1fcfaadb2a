// SPDX-License-Identifier: Apache-2.0
// Residuals of a candidate against all bench data, in groups: ln k_dyn, loss angle, static force, transient force.
#pragma once

#include <vector>

#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/identify/internal/candidate.hpp"
#include "kdyn/identify/static_history.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

enum Group { group_k_dyn, group_loss_angle, group_static, group_transient, group_count };

// What is compared: chosen map rows and thinned series samples. Simulations run over every sample all the same.
struct Comparison {
  const ElastomerData* data = nullptr;
  Criterion criterion = Criterion::harmonic;
  std::vector<std::size_t> rows;  // used rows of the map
  std::vector<std::vector<std::size_t>> loop_samples, series_samples;
  std::vector<LoopHistory> history;  // of each loop
  std::vector<std::vector<double>> series_velocity;
  std::vector<int> group;      // of each residual
  std::vector<double> weight;  // of each residual: 1/noise times user and robust weights

  Comparison() = default;
  Comparison(const ElastomerData& data, Criterion criterion, const std::vector<bool>& row_used);
  int residuals() const { return static_cast<int>(group.size()); }
};

// Derivatives are dual numbers of this width at most.
inline constexpr int most_unknowns = 24;

// Unweighted residuals, model minus measurement, and their derivatives when J is given. False when the candidate is no
// mount.
bool evaluate_residuals(const Comparison& comparison, const Layout& layout, const Eigen::VectorXd& theta,
                        Eigen::VectorXd& r, Eigen::MatrixXd* J);

// Model force over a transient for a finished law; the mean difference to the measured force (sensor offset) is added.
std::vector<double> series_force(const Elastomer<double>& law, const BenchSeries& series);

}  // namespace kdyn::inline identify
