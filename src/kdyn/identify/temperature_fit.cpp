// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/temperature_fit.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/least_squares.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double same_level = 2.0;  // degrees

struct Factors {
  const char* name;
  const char* meaning;
};
constexpr Factors factor_names[] = {{"stiffness", "Factor on all stiffness"},
                                    {"freq", "Factor on the frequency-dependent part"},
                                    {"ampl", "Factor on the amplitude-dependent part"}};

// [identify E21]
template <class T>
DynamicStiffness<T> response(const Elastomer<double>& law, const T& s_k, const T& s_f, const T& s_a, const MapRow& row,
                             Criterion criterion) {
  Elastomer<T> scaled = law.cast<T>();
  scaled.static_stiffness *= s_k;
  scaled.scale_curve *= s_k;
  scaled.scale_freq *= s_f;
  scaled.scale_ampl *= s_a;
  // The static displacement of the preload follows the softer or stiffer curve; its small derivative is left out of the
  // Jacobian.
  const T u0(static_displacement(law, row.preload / value_of(s_k)));
  const T k = law.curve ? T(s_k * law.curve->slope(value_of(u0))) : scaled.static_stiffness;
  const StaticPart<T> statics{scaled};
  if (criterion == Criterion::loop) return loop_reduction(scaled, statics, k, row.frequency_hz, T(row.amplitude), u0);
  const Complex<T> K = harmonic_stiffness(scaled, statics, k, row.frequency_hz, T(row.amplitude), u0);
  return {abs(K), arg(K)};
}

TemperatureLevel fit_level(const Elastomer<double>& law, const StiffnessMap& map, double temperature_c,
                           Criterion criterion, double noise_k, double noise_angle) {
  using J = Jet<3>;
  TemperatureLevel level;
  level.temperature_c = temperature_c;
  level.rows = map.rows.size();
  LeastSquaresProblem problem;
  problem.parameters = 3;
  problem.residuals = static_cast<int>(2 * map.rows.size());
  problem.lower = Eigen::Vector3d::Constant(std::log(1e-3));
  problem.upper = Eigen::Vector3d::Constant(std::log(1e3));
  problem.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    for (std::size_t i = 0; i < map.rows.size(); ++i) {
      const MapRow& row = map.rows[i];
      const DynamicStiffness<J> model =
          response(law, exp(J(theta[0], 0)), exp(J(theta[1], 1)), exp(J(theta[2], 2)), row, criterion);
      const J residual[2] = {log(model.k_dyn / row.k_dyn) / noise_k, (model.loss_angle - row.loss_angle) / noise_angle};
      for (int k = 0; k < 2; ++k) {
        const auto at = static_cast<Eigen::Index>(2 * i) + k;
        r[at] = residual[k].a;
        if (jacobian != nullptr) jacobian->row(at) = derivatives(residual[k]).transpose();
      }
    }
    return true;
  };
  const LeastSquaresResult fit = solve_least_squares(problem, Eigen::Vector3d::Zero());
  level.converged = fit.converged;
  level.factors = {temperature_c, std::exp(fit.theta[0]), std::exp(fit.theta[1]), std::exp(fit.theta[2])};
  // Noise other than that of the reference shows in the residuals and widens the intervals.
  const double dof = std::max(1.0, static_cast<double>(problem.residuals - 3));
  const double spread = std::max(1.0, std::sqrt(2.0 * fit.final_cost / dof));
  const Covariance covariance = covariance_of(fit.jacobian);
  const double t = student_t_quantile(0.975, dof);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const double value = std::exp(fit.theta[i]), sd = spread * covariance.standard_deviation[i];
    ParameterEstimate p;
    p.name = factor_names[i].name;
    p.unit = "-";
    p.meaning = factor_names[i].meaning;
    p.value = value;
    p.std = value * sd;
    p.lower_95 = value * std::exp(-t * sd);
    p.upper_95 = value * std::exp(t * sd);
    level.parameters.push_back(std::move(p));
  }
  for (const MapRow& row : map.rows) {
    const auto model = response(law, level.factors.stiffness, level.factors.freq, level.factors.ampl, row, criterion);
    level.rms_k_dyn_rel += std::pow(model.k_dyn / row.k_dyn - 1.0, 2) / static_cast<double>(map.rows.size());
    level.rms_loss_angle += std::pow(model.loss_angle - row.loss_angle, 2) / static_cast<double>(map.rows.size());
  }
  level.rms_k_dyn_rel = std::sqrt(level.rms_k_dyn_rel);
  level.rms_loss_angle = std::sqrt(level.rms_loss_angle);
  return level;
}

}  // namespace

std::vector<double> temperature_levels(const StiffnessMap& map) {
  std::vector<double> all;
  for (const MapRow& row : map.rows)
    if (!std::isnan(row.temperature_c)) all.push_back(row.temperature_c);
  return temperature_levels(std::move(all));
}

std::vector<double> temperature_levels(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  std::vector<double> levels;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= all.size(); ++i)
    if (i == all.size() || all[i] - all[i - 1] > same_level) {
      levels.push_back(
          median({all.begin() + static_cast<std::ptrdiff_t>(start), all.begin() + static_cast<std::ptrdiff_t>(i)}));
      start = i;
    }
  return levels;
}

std::size_t reference_level(const std::vector<double>& levels) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < levels.size(); ++i)
    if (std::abs(levels[i] - 23.0) < std::abs(levels[best] - 23.0)) best = i;
  return best;
}

StiffnessMap at_temperature_level(const StiffnessMap& map, const std::vector<double>& levels, std::size_t level) {
  StiffnessMap out;
  out.axis = map.axis;
  out.source = map.source;
  for (const MapRow& row : map.rows) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < levels.size(); ++i)
      if (std::abs(levels[i] - row.temperature_c) < std::abs(levels[nearest] - row.temperature_c)) nearest = i;
    if (nearest == level) out.rows.push_back(row);
  }
  return out;
}

std::vector<TemperatureLevel> fit_temperatures(const Elastomer<double>& law, const StiffnessMap& map,
                                               const std::vector<double>& levels, std::size_t reference,
                                               Criterion criterion, double noise_k, double noise_angle) {
  std::vector<TemperatureLevel> out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const StiffnessMap rows = at_temperature_level(map, levels, i);
    if (i == reference) {
      TemperatureLevel level;
      level.temperature_c = levels[i];
      level.rows = rows.rows.size();
      level.reference = level.converged = true;
      level.factors.temperature_c = levels[i];
      out.push_back(std::move(level));
    } else {
      out.push_back(fit_level(law, rows, levels[i], criterion, noise_k, noise_angle));
    }
  }
  return out;
}

}  // namespace kdyn::inline identify
