// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_advise.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::inline identify {
namespace {

std::vector<double> geometric(double lower, double upper, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(lower * std::pow(upper / lower, i / (count - 1.0)));
  return out;
}

struct HydroProposal {
  Advice advice;
  std::vector<Eigen::Index> rows;
};

}  // namespace

std::vector<Advice> advise_hydro(const HydroProblem& problem, const HydroLayout& layout,
                                 const Eigen::MatrixXd& jacobian, double noise_k, double noise_angle, double preload) {
  double f_low = 1e300, f_high = 0.0, a_low = 1e300, a_high = 0.0;
  for (const HydroRow& row : problem.rows) {
    f_low = std::min(f_low, row.frequency_hz), f_high = std::max(f_high, row.frequency_hz);
    a_low = std::min(a_low, row.amplitude), a_high = std::max(a_high, row.amplitude);
  }
  // Candidates: the measured ranges, widened by a factor of two on either side.
  HydroProblem imagined;
  imagined.sigma_k = noise_k, imagined.sigma_angle = noise_angle;
  const HydroMount<double> law = make_hydro(layout);
  const FirstHarmonic<double> balance(law);
  std::vector<HydroProposal> proposals;
  for (const double a : geometric(0.5 * a_low, 2.0 * a_high, 7)) {
    HydroProposal sweep{{AxisKind::translation, "sweep", 0.0, a, preload, 0.0, "", 0.0, ""}, {}};
    for (const double f : geometric(0.5 * f_low, 2.0 * f_high, 11)) {
      HydroRow row;
      row.frequency_hz = f, row.omega = 2.0 * std::numbers::pi * f, row.amplitude = a;
      const std::vector<double> roots = chamber_amplitudes(balance, row.omega, a);
      if (roots.empty()) continue;
      row.anchor = row.chamber_amplitude = roots.front();
      const auto K = balance.main_stiffness(f, a) + balance.at_chamber_amplitude(roots.front(), row.omega).stiffness;
      row.k_dyn = abs(K), row.loss_angle = arg(K);
      const auto at = static_cast<Eigen::Index>(2 * imagined.rows.size());
      imagined.rows.push_back(std::move(row));
      sweep.rows.insert(sweep.rows.end(), {at, at + 1});
      proposals.push_back({{AxisKind::translation, "point", f, a, preload, 0.0, "", 0.0, ""}, {at, at + 1}});
    }
    proposals.push_back(std::move(sweep));
  }
  const auto unknowns = static_cast<Eigen::Index>(layout.free.size());
  Eigen::VectorXd theta(unknowns);
  for (Eigen::Index i = 0; i < unknowns; ++i)
    theta[i] = std::log(layout.values[static_cast<std::size_t>(layout.free[static_cast<std::size_t>(i)])]);
  const int count = imagined.residuals(layout, false);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(count);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count, unknowns);
  imagined.choose_roots(layout, false);
  if (!imagined.evaluate(layout, theta, false, r, &J) || !J.allFinite()) return {};

  Eigen::MatrixXd information = jacobian.transpose() * jacobian;
  information.diagonal().array() += 1.0 / 25.0;  // keeps what no data show finite
  const auto deviations = [&](const Eigen::MatrixXd& M) {
    return Eigen::VectorXd(symmetric_inverse(M).diagonal().cwiseMax(0.0).cwiseSqrt());
  };
  const Eigen::VectorXd before = deviations(information);
  for (HydroProposal& one : proposals) {
    Eigen::MatrixXd M = information;
    for (const Eigen::Index row : one.rows) M += J.row(row).transpose() * J.row(row);
    const Eigen::VectorXd shrink = 1.0 - (deviations(M).array() / before.array());
    Eigen::Index best = 0;
    one.advice.best_gain = shrink.maxCoeff(&best);
    one.advice.best_for = hydro_slots[static_cast<std::size_t>(layout.free[static_cast<std::size_t>(best)])].name;
    one.advice.gain = shrink.mean();
  }
  std::vector<Advice> out;
  for (const char* kind : {"sweep", "point"}) {
    const HydroProposal* best = nullptr;
    for (const HydroProposal& p : proposals)
      if (p.advice.kind == kind && (best == nullptr || p.advice.gain > best->advice.gain)) best = &p;
    if (best == nullptr || best->advice.gain < 0.005) continue;
    Advice a = best->advice;
    const std::string what =
        a.kind == "point" ? fmt::format("one more point at {:.3g} Hz, {:.3g} mm", a.frequency_hz, 1e3 * a.amplitude)
                          : fmt::format("one more sweep at {:.3g} mm, {:.2g} to {:.3g} Hz", 1e3 * a.amplitude,
                                        0.5 * f_low, 2.0 * f_high);
    a.words = fmt::format("{} would shrink the intervals by {:.0f} % on average, that of {} by {:.0f} %", what,
                          100.0 * a.gain, a.best_for, 100.0 * a.best_gain);
    out.push_back(std::move(a));
  }
  return out;
}

}  // namespace kdyn::inline identify
