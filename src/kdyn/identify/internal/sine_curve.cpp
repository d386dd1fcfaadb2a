// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/sine_curve.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline identify {
namespace {

constexpr double usual_wave = 0.03;  // change of stiffness over the largest amplitude that is no parabola

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
