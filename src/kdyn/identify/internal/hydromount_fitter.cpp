// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_fitter.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

std::vector<int> slots_of(const HydroLayout& layout) {
  std::vector<int> slots = {hydro_main_k, hydro_chamber_k, hydro_mass, hydro_linear, hydro_power};
  if (layout.rubber)
    slots.insert(slots.end(), {hydro_main_c, hydro_t2, hydro_t_ratio, hydro_main_h, hydro_main_rho, hydro_chamber_c,
                               hydro_chamber_h, hydro_chamber_rho});
  if (layout.decoupler) slots.insert(slots.end(), {hydro_clearance, hydro_residual});
  if (layout.bypass) slots.insert(slots.end(), {hydro_bypass, hydro_threshold});
  if (layout.limit) slots.insert(slots.end(), {hydro_limit, hydro_limit_width});
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace

double residual_pattern(const std::vector<HydroRow>& rows) {
  std::vector<std::size_t> level;
  amplitude_levels(rows, level);
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return level[a] != level[b] ? level[a] < level[b] : rows[a].omega < rows[b].omega;
  });
  std::vector<double> k, angle;
  for (const std::size_t i : order) {
    k.push_back(std::log(std::abs(rows[i].model) / rows[i].k_dyn));
    angle.push_back(wrapped(std::arg(rows[i].model) - rows[i].loss_angle));
  }
  // A few rows beside folds must not make the pattern: what is large counts no more than twice the usual.
  const auto pattern = [](std::vector<double> residuals) {
    const double most = 2.0 * robust_scale(residuals);
    for (double& r : residuals) r = std::clamp(r, -most, most);
    return lag_one_correlation(residuals);
  };
  return k.size() > 20 ? std::max(pattern(k), pattern(angle)) : 0.0;
}

HydroFitter::HydroFitter(HydroProblem p, const HydroMountFitOptions& options, Progress& progress)
    : problem(std::move(p)),
      options_(options),
      progress_(progress) {}

HydroFitted HydroFitter::begin(HydroDetail detail, const HydroLayout& start, const HydroFeatures& features,
                               bool glance) {
  HydroFitted out;
  out.detail = detail;
  out.features = features;
  out.layout = start;
  HydroLayout& layout = out.layout;
  for (const auto& [name, value] : options_.fix)
    for (std::size_t s = 0; s < hydro_slots.size(); ++s)
      if (name == hydro_slots[s].name) layout.values[s] = value;
  for (HydroRow& row : problem.rows) {
    row.correction = 0.0;
    row.harmonics.resize(0);
  }
  set_priors(features);
  std::vector<int> hydraulic = {hydro_chamber_k, hydro_mass, hydro_linear, hydro_power};
  if (!layout.rubber) {
    stage(out, hydraulic, true, 20, 1e-3);
  } else {
    if (layout.decoupler) hydraulic.insert(hydraulic.end(), {hydro_clearance, hydro_residual});
    if (layout.bypass) hydraulic.insert(hydraulic.end(), {hydro_bypass, hydro_threshold});
    if (layout.limit) hydraulic.push_back(hydro_limit);
    if (!glance) stage(out, hydraulic, true, 20, 1e-4);
    hydraulic.insert(hydraulic.end(), {hydro_main_k, hydro_main_c, hydro_main_h, hydro_chamber_h, hydro_chamber_c});
    stage(out, hydraulic, true, glance ? 8 : 20, 1e-4);
  }
  out.chi_square = 2.0 * last.final_cost;
  out.rows = problem.rows;
  return out;
}

void HydroFitter::settle(HydroFitted& fitted, bool glance) {
  problem.rows = fitted.rows;
  set_priors(fitted.features);
  stage(fitted, slots_of(fitted.layout), false, glance ? 6 : 25, fitted.layout.rubber ? 2e-4 : 1e-4);
  keep(fitted);
}

void HydroFitter::refine(HydroFitted& fitted, int times, double tolerance) {
  problem.rows = fitted.rows;
  set_priors(fitted.features);
  for (int i = 0; i < times; ++i) {
    problem.correct(fitted.layout);
    stage(fitted, slots_of(fitted.layout), false, 20, tolerance, Roots::keep);  // a correction belongs to its root
  }
  if (times > 0) problem.correct(fitted.layout);
  keep(fitted);
}

void HydroFitter::finish(HydroFitted& fitted) {
  problem.rows = fitted.rows;
  set_priors(fitted.features);
  stage(fitted, slots_of(fitted.layout), false, static_cast<int>(options_.max_iterations), 1e-6, Roots::keep);
  keep(fitted);
}

void HydroFitter::keep(HydroFitted& fitted) {
  fitted.chi_square = problem.chi_square(fitted.layout);
  fitted.rows = problem.rows;
}

void HydroFitter::set_priors(const HydroFeatures& features) {
  if (!options_.priors) return;
  const auto prior = [&](int slot, double value, double sigma) {
    problem.priors[static_cast<std::size_t>(slot)] = {std::log(value), sigma};
  };
  prior(hydro_main_c, 1.3e-3, 1.5);
  prior(hydro_chamber_c, 1.3e-3, 1.5);
  prior(hydro_t2, 0.04, 1.0);
  prior(hydro_t_ratio, 0.09, 1.0);
  prior(hydro_main_h, 0.3, 1.5);
  prior(hydro_chamber_h, 0.3, 1.5);
  prior(hydro_main_rho, 4500.0, 1.2);
  prior(hydro_chamber_rho, 4500.0, 1.2);
  prior(hydro_clearance, features.values[hydro_clearance], 2.5);
  prior(hydro_residual, 0.2, 2.5);
  prior(hydro_bypass, features.values[hydro_bypass], 3.0);
  prior(hydro_threshold, features.values[hydro_threshold], 1.5);
  prior(hydro_limit, features.values[hydro_limit], 1.5);
  prior(hydro_limit_width, 0.05, 1.0);
  for (const auto& [slot, own] : own_priors) problem.priors[static_cast<std::size_t>(slot)] = own;
}

void HydroFitter::stage(HydroFitted& fitted, std::vector<int> slots, bool coarse, int most, double tolerance,
                        Roots roots) {
  if (stopped()) return;
  HydroLayout& layout = fitted.layout;
  std::erase_if(slots,
                [&](int slot) { return options_.fix.contains(hydro_slots[static_cast<std::size_t>(slot)].name); });
  layout.free = slots;
  problem.huber = coarse ? 20.0 : 5.0;
  problem.forget_anchors();  // other unknowns
  if (roots == Roots::choose) problem.choose_roots(layout, coarse);
  const auto count = static_cast<Eigen::Index>(slots.size());
  LeastSquaresProblem squares;
  squares.parameters = static_cast<int>(count);
  squares.residuals = problem.residuals(layout, coarse);
  squares.lower.resize(count);
  squares.upper.resize(count);
  Eigen::VectorXd start(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto slot = static_cast<std::size_t>(slots[static_cast<std::size_t>(i)]);
    squares.lower[i] = std::log(fitted.features.lower[slot]);
    squares.upper[i] = std::log(fitted.features.upper[slot]);
    start[i] = std::clamp(std::log(layout.values[slot]), squares.lower[i], squares.upper[i]);
  }
  squares.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    return problem.evaluate(layout, theta, coarse, r, J);
  };
  LeastSquaresOptions settings;
  settings.max_iterations = most;
  settings.function_tolerance = tolerance;
  settings.gradient_tolerance = 1e-9;
  settings.parameter_tolerance = 1e-9;
  last = solve_least_squares(squares, start, settings, progress_);
  iterations += last.iterations;
  history.insert(history.end(), last.cost_history.begin(), last.cost_history.end());
  fitted.converged = last.converged;
  for (Eigen::Index i = 0; i < count; ++i)
    layout.values[static_cast<std::size_t>(slots[static_cast<std::size_t>(i)])] = std::exp(last.theta[i]);
}

}  // namespace kdyn::inline identify
