// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/shift_laws.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {

namespace {

constexpr double gas_constant = 8.314462618;  // J/(mol K)
// What a law may leave of a shift factor beside its own interval: laws are descriptions, factors are measured.
constexpr double law_scatter = 0.05;  // decades

struct Unknown {
  const char *name, *unit, *meaning;
};
// Value and derivatives by its two unknowns (Arrhenius: one).
using Evaluate = std::function<double(const Eigen::VectorXd&, double temperature_c, Eigen::VectorXd*)>;

ShiftLaw fit_law(const char* name, const char* title, const std::vector<Unknown>& unknowns, Eigen::VectorXd theta,
                 const Evaluate& evaluate, const std::vector<double>& temperature_c, std::size_t reference,
                 const std::vector<double>& log_a, const Eigen::MatrixXd& covariance) {
  ShiftLaw law;
  law.law = name, law.title = title;
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < log_a.size(); ++i)
    if (i != reference) used.push_back(i);
  const auto n = static_cast<Eigen::Index>(used.size());
  Eigen::MatrixXd C(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      C(i, j) = covariance(static_cast<Eigen::Index>(used[static_cast<std::size_t>(i)]),
                           static_cast<Eigen::Index>(used[static_cast<std::size_t>(j)])) +
                (i == j ? law_scatter * law_scatter : 0.0);
  const Eigen::LLT<Eigen::MatrixXd> factor(C);
  const Eigen::Index p = theta.size();
  Eigen::VectorXd r(n), slope(p);
  Eigen::MatrixXd J(n, p);
  const auto residual = [&](const Eigen::VectorXd& at, bool slopes) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t k = used[static_cast<std::size_t>(i)];
      r[i] = log_a[k] - evaluate(at, temperature_c[k], slopes ? &slope : nullptr);
      if (slopes) J.row(i) = slope.transpose();
    }
    Eigen::VectorXd white = factor.matrixL().solve(r);
    if (slopes) J = factor.matrixL().solve(J).eval();
    return white;
  };
  double damping = 1e-3, cost = residual(theta, false).squaredNorm();
  for (int i = 0; i < 200 && std::isfinite(cost); ++i) {
    const Eigen::VectorXd white = residual(theta, true);
    Eigen::MatrixXd normal = J.transpose() * J;
    const Eigen::VectorXd right = J.transpose() * white;
    for (Eigen::Index k = 0; k < p; ++k) normal(k, k) *= 1.0 + damping;
    const Eigen::VectorXd step = normal.ldlt().solve(right), next = theta + step;
    const double after = residual(next, false).squaredNorm();
    if (after < cost) {
      const bool still = cost - after < 1e-12 * cost;
      theta = next, cost = after, damping *= 0.3;
      if (still) break;
    } else {
      damping *= 4.0;
      if (damping > 1e12) break;
    }
  }
  residual(theta, true);
  const double dof = std::max(1.0, static_cast<double>(n - p));
  law.chi_square = cost / dof;
  law.factors = used.size();
  const Eigen::MatrixXd inverse =
      Eigen::MatrixXd(J.transpose() * J).ldlt().solve(Eigen::MatrixXd::Identity(p, p).eval());
  const double t = student_t_quantile(0.975, dof), widen = std::sqrt(std::max(1.0, law.chi_square));
  for (Eigen::Index k = 0; k < p; ++k) {
    ParameterEstimate e;
    const Unknown& u = unknowns[static_cast<std::size_t>(k)];
    e.name = u.name, e.unit = u.unit, e.meaning = u.meaning;
    e.value = theta[k];
    e.std = widen * std::sqrt(std::max(0.0, inverse(k, k)));
    e.lower_95 = e.value - t * e.std, e.upper_95 = e.value + t * e.std;
    law.parameters.push_back(std::move(e));
  }
  double square = 0.0, weight = 0.0;
  for (const std::size_t k : used) {
    const auto at = static_cast<Eigen::Index>(k);
    const double w = 1.0 / (covariance(at, at) + law_scatter * law_scatter);
    square += w * std::pow(log_a[k] - evaluate(theta, temperature_c[k], nullptr), 2);
    weight += w;
  }
  law.rms_decades = std::sqrt(square / weight);
  return law;
}

}  // namespace

double wlf_log_a(double c1, double c2, double temperature_c, double reference_c) {
  const double rise = temperature_c - reference_c;
  return -c1 * rise / (c2 + rise);
}
double arrhenius_log_a(double activation_energy, double temperature_c, double reference_c) {
  return activation_energy / (gas_constant * std::log(10.0)) *
         (1.0 / (temperature_c + 273.15) - 1.0 / (reference_c + 273.15));
}

double log_a_of(const ShiftLaw& law, double temperature_c, double reference_c) {
  return law.law == "wlf" ? wlf_log_a(law.parameters[0].value, law.parameters[1].value, temperature_c, reference_c)
                          : arrhenius_log_a(law.parameters[0].value, temperature_c, reference_c);
}

std::vector<ShiftLaw> fit_shift_laws(const std::vector<double>& temperature_c, std::size_t reference,
                                     const std::vector<double>& log_a, const Eigen::MatrixXd& covariance) {
  const double zero = temperature_c[reference];
  std::vector<ShiftLaw> laws;
  // Arrhenius is a straight line over 1/T.
  laws.push_back(fit_law(
      "arrhenius", "Arrhenius", {{"activation_energy", "J/mol", "Activation energy of the shift factors"}},
      Eigen::VectorXd::Constant(1, 1e5),
      [&](const Eigen::VectorXd& theta, double T, Eigen::VectorXd* slope) {
        if (slope != nullptr) (*slope)[0] = arrhenius_log_a(1.0, T, zero);
        return arrhenius_log_a(theta[0], T, zero);
      },
      temperature_c, reference, log_a, covariance));
  laws.back().physical = laws.back().parameters[0].value > 0.0;
  if (temperature_c.size() < 4) return laws;
  // WLF from several starts: its pole lies below the coldest temperature.
  std::optional<ShiftLaw> best;
  const double below = zero - temperature_c.front();
  for (const double distance : {20.0, 60.0, 150.0, 400.0}) {
    Eigen::VectorXd start(2);
    start << 10.0, below + distance;
    ShiftLaw one = fit_law(
        "wlf", "Williams-Landel-Ferry",
        {{"c1", "-", "WLF constant C1 at the reference temperature"},
         {"c2", "K", "WLF constant C2 at the reference temperature"}},
        start,
        [&](const Eigen::VectorXd& theta, double T, Eigen::VectorXd* slope) {
          const double rise = T - zero, sum = theta[1] + rise;
          if (!(sum > 0.0)) return std::numeric_limits<double>::quiet_NaN();
          if (slope != nullptr) *slope << -rise / sum, theta[0] * rise / (sum * sum);
          return -theta[0] * rise / sum;
        },
        temperature_c, reference, log_a, covariance);
    if (std::isfinite(one.chi_square) && (!best || one.chi_square < best->chi_square)) best = std::move(one);
  }
  if (!best) return laws;
  best->physical = best->parameters[0].value > 0.0 && best->parameters[1].value > below;
  laws.push_back(std::move(*best));
  if (laws[1].chi_square < laws[0].chi_square && laws[1].physical) std::swap(laws[0], laws[1]);
  return laws;
}

}  // namespace kdyn::inline identify
