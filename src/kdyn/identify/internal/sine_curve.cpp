// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/sine_curve.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

namespace kdyn::inline identify {
namespace {

// [identify E11] What is known of a bend before: over the largest amplitude the stiffness changes by about this share,
// and the first harmonic, k (1 + 3/4 q a^2) where the slope is k (1 + 3 q a^2), by a quarter of it.
constexpr double usual_change = 0.3, usual_wave = 0.03;

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

// Weights of the spline's coefficients in its value at a place.
std::vector<double> basis_at(const SplineGrid& grid, double u) {
  Spline<double> unit{grid, std::vector<double>(static_cast<std::size_t>(grid.coefficients()), 0.0)};
  std::vector<double> out;
  for (double& c : unit.c) {
    c = 1.0;
    out.push_back(unit.value(u));
    c = 0.0;
  }
  return out;
}

// Differences of neighbouring coefficients of this order are zero within sd.
void keep_smooth(FitSetup& setup, int order, double sd) {
  std::vector<double> factor = {1.0};
  for (int i = 0; i < order; ++i) {
    factor.push_back(0.0);
    for (std::size_t j = factor.size() - 1; j > 0; --j) factor[j] -= factor[j - 1];
  }
  for (int i = 0; i + order < setup.layout.grid.coefficients(); ++i) {
    Prior prior;
    for (int j = 0; j <= order; ++j)
      prior.terms.emplace_back(setup.layout.spline_at + i + j, factor[static_cast<std::size_t>(j)]);
    prior.sd = sd;
    setup.priors.push_back(std::move(prior));
  }
}

}  // namespace

bool sines_alone(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup) {
  return !data.map.rows.empty() && data.loops.empty() && data.series.empty() && options.use_curve != CurveUse::no &&
         !options.fix.contains("static_stiffness") && setup.layout.mode != StaticMode::spline &&
         options.weight_k_dyn > 0.0;
}

BendFreedom bend_freedom(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                         const Solved& straight) {
  const std::vector<double> preloads = preloads_of(data, comparison);
  const double a_max = largest_amplitude(data, comparison);
  const Candidate<double> c = make_candidate<double>(straight.layout, [&](int i) { return straight.fit.theta[i]; });
  Eigen::VectorXd plain(comparison.residuals());
  BendFreedom out;
  out.spread = Eigen::MatrixXd::Zero(setup.layout.size, setup.layout.size);
  if (!evaluate_residuals(comparison, straight.layout, straight.fit.theta, plain, nullptr)) return out;

  const Eigen::Index bends = static_cast<Eigen::Index>(preloads.size()), rows = straight.fit.jacobian.rows();
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(rows, bends);
  for (std::size_t n = 0; n < comparison.rows.size(); ++n) {
    const MapRow& row = data.map.rows[comparison.rows[n]];
    const auto at = static_cast<Eigen::Index>(2 * n);
    const std::complex<double> K = std::polar(row.k_dyn * std::exp(plain[at]), row.loss_angle + plain[at + 1]);
    const std::complex<double> by = c.at_preload(row.preload).k * std::pow(row.amplitude / a_max, 2) / K;
    const auto which = std::lower_bound(preloads.begin(), preloads.end(), row.preload) - preloads.begin();
    B(at, which) = by.real() * comparison.weight[2 * n];
    B(at + 1, which) = by.imag() * comparison.weight[2 * n + 1];
  }
  // What stands at a bound does not move.
  Eigen::MatrixXd J = straight.fit.jacobian;
  for (Eigen::Index i = 0; i < J.cols(); ++i)
    if (straight.fit.theta[i] < setup.lower[i] + 1e-3 || straight.fit.theta[i] > setup.upper[i] - 1e-3)
      J.col(i).setZero();
  const Covariance known = covariance_of(J);
  const Eigen::MatrixXd JB = J.transpose() * B;
  const Eigen::MatrixXd told = B.transpose() * B - JB.transpose() * known.covariance * JB;
  const Eigen::VectorXd pull = B.transpose() * straight.fit.residuals -
                               JB.transpose() * (known.covariance * (J.transpose() * straight.fit.residuals));
  const double prior_sd = 0.25 * usual_change;
  Eigen::MatrixXd posterior = told;
  posterior.diagonal().array() += 1.0 / (prior_sd * prior_sd);
  const Eigen::MatrixXd variance = posterior.ldlt().solve(Eigen::MatrixXd::Identity(bends, bends));
  const Eigen::VectorXd bend = -(variance * pull);
  // Evidence of a bend against none: what it lowers the cost by, less what its freedom costs.
  const Eigen::LLT<Eigen::MatrixXd> llt(posterior);
  const Eigen::MatrixXd lower = llt.matrixL();
  double volume = 0.0;
  for (Eigen::Index i = 0; i < bends; ++i) volume += std::log(lower(i, i) * prior_sd);
  const double evidence = 0.5 * pull.dot(variance * pull) - volume;
  out.likely = 1.0 / (1.0 + std::exp(-std::clamp(evidence, -500.0, 500.0)));
  const Eigen::MatrixXd carried = known.covariance * JB;  // theta moves by -carried * bend
  const Eigen::VectorXd moved = carried * bend;
  out.spread = out.likely * (carried * variance * carried.transpose() + moved * moved.transpose());
  return out;
}

FitSetup curve_from_sines(const ElastomerData& data, const Comparison& comparison, const FitSetup& setup,
                          const Eigen::VectorXd& straight) {
  const std::vector<double> preloads = preloads_of(data, comparison);
  const double a = largest_amplitude(data, comparison);
  const Candidate<double> c = make_candidate<double>(setup.layout, [&](int i) { return straight[i]; });
  FitSetup out;
  out.layout.base = setup.layout.base;
  Layout& layout = out.layout;
  layout.mode = StaticMode::spline;
  layout.at.fill(-1);
  layout.sine_preloads = preloads;
  double lower = 1e300, upper = -1e300, k = 0.0;
  for (const double preload : preloads) {
    const auto point = c.at_preload(preload);
    lower = std::min(lower, point.u0 - a), upper = std::max(upper, point.u0 + a);
    k += point.k / static_cast<double>(preloads.size());
  }
  layout.base.static_stiffness = k;
  std::vector<double> theta, low, high;
  for (std::size_t s = 0; s < slot_count; ++s) {
    const int at = setup.layout.at[s];
    if (at < 0 || s == slot_stiffness) continue;
    layout.at[s] = static_cast<int>(theta.size());
    theta.push_back(straight[at]), low.push_back(setup.lower[at]), high.push_back(setup.upper[at]);
  }
  const int most = std::min(8, most_unknowns - static_cast<int>(theta.size()) - 3);
  layout.grid = {lower, upper, std::clamp(static_cast<int>(std::lround((upper - lower) / a)), 2, std::max(2, most))};
  layout.zero_seen = lower <= 0.0 && upper >= 0.0;
  layout.force_scale = k * (upper - lower);
  layout.spline_at = static_cast<int>(theta.size());

  // Begins as what was straight.
  const int n = layout.grid.coefficients();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  const auto statics = c.at_preload(preloads.front()).statics;
  for (int i = 0; i <= 10 * n; ++i) {
    const double u = lower + (upper - lower) * i / (10.0 * n);
    const std::vector<double> weights = basis_at(layout.grid, u);
    const Eigen::Map<const Eigen::VectorXd> basis(weights.data(), n);
    A += basis * basis.transpose();
    b += basis * (statics.force(u) / layout.force_scale);
  }
  A.diagonal().array() += 1e-9 * A.diagonal().mean();
  const Eigen::VectorXd coefficients = A.ldlt().solve(b);
  for (const double x : coefficients) theta.push_back(x), low.push_back(-1e3), high.push_back(1e3);
  layout.size = static_cast<int>(theta.size());
  out.start = Eigen::Map<Eigen::VectorXd>(theta.data(), layout.size);
  out.lower = Eigen::Map<Eigen::VectorXd>(low.data(), layout.size);
  out.upper = Eigen::Map<Eigen::VectorXd>(high.data(), layout.size);

  // Sines tell no force: it is zero at zero displacement, or the preload where the straight one has it.
  const double u_pin = layout.zero_seen ? 0.0 : c.at_preload(preloads.front()).u0;
  Prior pin;
  const std::vector<double> weights = basis_at(layout.grid, u_pin);
  for (int i = 0; i < n; ++i)
    if (weights[static_cast<std::size_t>(i)] != 0.0)
      pin.terms.emplace_back(layout.spline_at + i, weights[static_cast<std::size_t>(i)]);
  pin.mean = layout.zero_seen ? 0.0 : preloads.front() / layout.force_scale;
  pin.sd = 1e-5;
  out.priors.push_back(std::move(pin));
  const double h = layout.grid.step() / a, unit = k * a / layout.force_scale;
  keep_smooth(out, 2, h * h * usual_change * unit);
  keep_smooth(out, 3, h * h * h * 2.0 * usual_change * unit);
  keep_smooth(out, 4, h * h * h * h * 6.0 * usual_wave * unit);
  return out;
}

}  // namespace kdyn::inline identify
