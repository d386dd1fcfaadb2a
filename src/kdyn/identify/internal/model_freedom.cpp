// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/model_freedom.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

namespace kdyn::inline identify {
namespace {

// [identify E11] Columns of the missing quantities beside the Jacobian of the solution, with what is known of them
// before (mean 0, these standard deviations).
ModelFreedom freedom_of(const FitSetup& setup, const Solved& solved, const Eigen::MatrixXd& B,
                        const Eigen::VectorXd& prior_sd) {
  // What stands at a bound does not move.
  Eigen::MatrixXd J = solved.fit.jacobian;
  for (Eigen::Index i = 0; i < J.cols(); ++i)
    if (solved.fit.theta[i] < setup.lower[i] + 1e-3 || solved.fit.theta[i] > setup.upper[i] - 1e-3) J.col(i).setZero();
  const Covariance known = covariance_of(J);
  const Eigen::Index count = B.cols();
  const Eigen::MatrixXd JB = J.transpose() * B;
  const Eigen::MatrixXd carried = known.covariance * JB;  // theta moves by minus this
  Eigen::MatrixXd posterior = B.transpose() * B - JB.transpose() * carried;
  const Eigen::VectorXd pull =
      B.transpose() * solved.fit.residuals - carried.transpose() * (J.transpose() * solved.fit.residuals);
  posterior.diagonal() += prior_sd.array().square().inverse().matrix();
  const Eigen::LLT<Eigen::MatrixXd> llt(posterior);
  const Eigen::MatrixXd variance = llt.solve(Eigen::MatrixXd::Identity(count, count)), lower = llt.matrixL();
  const Eigen::VectorXd estimate = -(variance * pull);
  // Evidence: what it lowers the cost by, less what its freedom costs.
  double volume = 0.0;
  for (Eigen::Index i = 0; i < count; ++i) volume += std::log(lower(i, i) * prior_sd[i]);
  const double evidence = 0.5 * pull.dot(variance * pull) - volume;
  ModelFreedom out;
  out.likely = 1.0 / (1.0 + std::exp(-std::clamp(evidence, -500.0, 500.0)));
  out.estimate = estimate[count - 1] / std::sqrt(variance(count - 1, count - 1));
  const Eigen::VectorXd moved = carried * estimate;
  out.spread = carried * variance * carried.transpose() + moved * moved.transpose();
  return out;
}

Eigen::Index first_of_series(const Comparison& comparison) {
  Eigen::Index at = 2 * static_cast<Eigen::Index>(comparison.rows.size());
  for (const auto& samples : comparison.loop_samples) at += static_cast<Eigen::Index>(samples.size());
  return at;
}

}  // namespace

double largest_amplitude(const ElastomerData& data, const Comparison& comparison) {
  double a = 0.0;
  for (const std::size_t i : comparison.rows) a = std::max(a, data.map.rows[i].amplitude);
  return a;
}

std::vector<double> preloads_of(const ElastomerData& data, const Comparison& comparison) {
  std::set<double> all;
  for (const std::size_t i : comparison.rows) all.insert(data.map.rows[i].preload);
  return {all.begin(), all.end()};
}

bool curve_is_open(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup) {
  return data.map.rows.empty() != data.series.empty() && data.loops.empty() && options.use_curve != CurveUse::no &&
         !options.fix.contains("static_stiffness") && setup.layout.mode != StaticMode::spline &&
         (data.map.rows.empty() ? options.weight_transient > 0.0 : options.weight_k_dyn > 0.0);
}

ModelFreedom freedom_to_bend(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                             const Solved& straight) {
  const Candidate<double> c = make_candidate<double>(straight.layout, [&](int i) { return straight.fit.theta[i]; });
  const Eigen::Index rows = straight.fit.jacobian.rows();
  if (comparison.rows.empty()) {
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(rows, 2);
    Eigen::Index at = first_of_series(comparison);
    for (std::size_t s = 0; s < data.series.size(); ++s) {
      const std::vector<double>& u = data.series[s].displacement;
      double reach = 1e-12;
      for (const double x : u) reach = std::max(reach, std::abs(x - u.front()));
      const std::vector<std::size_t>& samples = comparison.series_samples[s];
      const auto n = static_cast<Eigen::Index>(samples.size());
      const double k = c.at_displacement(u.front()).k, weight = comparison.weight[static_cast<std::size_t>(at)];
      for (Eigen::Index i = 0; i < n; ++i) {
        const double x = (u[samples[static_cast<std::size_t>(i)]] - u.front()) / reach;
        B(at + i, 0) = weight * k * reach * x * x;
        B(at + i, 1) = weight * k * reach * x * x * x;
      }
      for (Eigen::Index col = 0; col < 2; ++col)  // the constant of the sensor is free
        B.block(at, col, n, 1).array() -= B.block(at, col, n, 1).mean();
      at += n;
    }
    return freedom_of(setup, straight, B, Eigen::Vector2d(0.5 * usual_change, usual_change / 3.0));
  }
  const std::vector<double> preloads = preloads_of(data, comparison);
  const double a_max = largest_amplitude(data, comparison);
  Eigen::VectorXd plain(comparison.residuals());
  const auto bends = static_cast<Eigen::Index>(preloads.size());
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(rows, bends);
  evaluate_residuals(comparison, straight.layout, straight.fit.theta, plain, nullptr);
  for (std::size_t n = 0; n < comparison.rows.size(); ++n) {
    const MapRow& row = data.map.rows[comparison.rows[n]];
    const auto at = static_cast<Eigen::Index>(2 * n);
    const std::complex<double> K = std::polar(row.k_dyn * std::exp(plain[at]), row.loss_angle + plain[at + 1]);
    const std::complex<double> by = c.at_preload(row.preload).k * std::pow(row.amplitude / a_max, 2) / K;
    const auto which = std::lower_bound(preloads.begin(), preloads.end(), row.preload) - preloads.begin();
    B(at, which) = by.real() * comparison.weight[2 * n];
    B(at + 1, which) = by.imag() * comparison.weight[2 * n + 1];
  }
  // The first harmonic of k (x + q x^3) is k (1 + 3/4 q a^2), its slope at a is k (1 + 3 q a^2).
  return freedom_of(setup, straight, B, Eigen::VectorXd::Constant(bends, 0.25 * usual_change));
}

ModelFreedom freedom_of_limit(const Comparison& comparison, const FitSetup& setup, const Solved& unlimited) {
  constexpr double usual = 0.35, step = 0.25;  // rdl/ymax: limits are two to four times rdl
  Eigen::VectorXd without(comparison.residuals()), with(comparison.residuals());
  Layout limited = unlimited.layout;
  const Candidate<double> c = make_candidate<double>(unlimited.layout, [&](int i) { return unlimited.fit.theta[i]; });
  limited.base.ymax = c.law.rdl / step;
  ModelFreedom out;
  if (!(c.law.rdl > 0.0) || !evaluate_residuals(comparison, unlimited.layout, unlimited.fit.theta, without, nullptr) ||
      !evaluate_residuals(comparison, limited, unlimited.fit.theta, with, nullptr))
    return out;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(unlimited.fit.jacobian.rows(), 1);
  for (Eigen::Index i = 0; i < comparison.residuals(); ++i)
    B(i, 0) = comparison.weight[static_cast<std::size_t>(i)] * (with[i] - without[i]) / step;
  return freedom_of(setup, unlimited, B, Eigen::VectorXd::Constant(1, usual));
}

Eigen::MatrixXd skewness_of_limit(const FitSetup& setup, const Solved& limited, double gain) {
  const Covariance known = covariance_of(limited.fit.jacobian);
  const int at = setup.layout.at[slot_ymax];
  const double sd = known.standard_deviation[at], whole = std::min(3.0, 1.0 / std::sqrt(std::max(gain, 1e-3)));
  if (!std::isfinite(sd) || whole <= sd) return Eigen::MatrixXd::Zero(setup.layout.size, setup.layout.size);
  const Eigen::VectorXd along = known.covariance.col(at) / (sd * sd);
  return (whole * whole - sd * sd) * (along * along.transpose());
}

}  // namespace kdyn::inline identify
