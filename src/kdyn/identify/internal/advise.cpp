// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/advise.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::inline identify {
namespace {

struct Range {
  double lower = 1e300, upper = 0.0;
  void take(double x) {
    lower = std::min(lower, x);
    upper = std::max(upper, x);
  }
  std::vector<double> spread(int count) const {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(lower * std::pow(upper / lower, i / (count - 1.0)));
    return values;
  }
};

// Measurements that are not made yet, with the rows of the sensitivity matrix each would add.
struct Proposal {
  Advice advice;
  std::vector<Eigen::Index> rows;
};

}  // namespace

std::vector<Advice> advise(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup,
                           const LeastSquaresResult& fit, const std::array<FitGroup, group_count>& groups) {
  const Layout& layout = setup.layout;
  std::vector<int> watched;  // parameters of the law
  std::vector<std::string> names;
  for (std::size_t s = 0; s < slot_count; ++s)
    if (layout.at[s] >= 0) {
      watched.push_back(layout.at[s]);
      names.emplace_back(slot_names[s]);
    }
  if (watched.empty() || !fit.converged) return {};
  Eigen::MatrixXd information = fit.jacobian.transpose() * fit.jacobian;
  // A weak prior keeps directions without any information finite, so that the first measurement of them counts.
  information.diagonal().array() += 1.0 / 25.0;

  // Candidates: the measured ranges, widened by a factor of two on either side.
  Range frequency, amplitude;
  std::set<double> preloads;
  for (const MapRow& row : data.map.rows) {
    frequency.take(row.frequency_hz);
    amplitude.take(row.amplitude);
    preloads.insert(row.preload);
  }
  if (data.map.rows.empty()) {
    frequency = {1.0, 50.0};
    amplitude = {0.25 * layout.grid.upper, layout.grid.upper};
    if (!(amplitude.upper > 0.0)) amplitude = {1e-4, 1e-3};
    preloads.insert(0.0);
  } else {
    frequency = {0.5 * frequency.lower, 2.0 * frequency.upper};
    amplitude = {0.5 * amplitude.lower, 2.0 * amplitude.upper};
  }
  ElastomerData imagined;
  imagined.map.axis = data.map.axis;
  std::vector<Proposal> proposals;
  Eigen::Index at = 0;
  for (const double preload : preloads)
    for (const double a : amplitude.spread(9)) {
      Proposal sweep{{data.map.axis, "sweep", 0.0, a, preload, 0.0, "", 0.0, ""}, {}};
      for (const double f : frequency.spread(9)) {
        MapRow row;
        row.frequency_hz = f;
        row.amplitude = a;
        row.preload = preload;
        row.k_dyn = 1.0;
        imagined.map.rows.push_back(row);
        Proposal point{{data.map.axis, "point", f, a, preload, 0.0, "", 0.0, ""}, {at, at + 1}};
        sweep.rows.insert(sweep.rows.end(), {at, at + 1});
        at += 2;
        proposals.push_back(std::move(point));
      }
      proposals.push_back(std::move(sweep));
    }
  // A slow loop over one and a half times the stroke so far, or over twice the largest amplitude when there is none.
  double stroke = data.loops.empty() ? amplitude.upper : 0.0;
  for (const StaticLoop& loop : data.loops)
    for (const double u : loop.displacement) stroke = std::max(stroke, 1.5 * std::abs(u));
  StaticLoop triangle;
  constexpr int corners = 120;
  for (int i = 0; i < 4 * corners; ++i) {
    const double s = i / static_cast<double>(corners);
    triangle.displacement.push_back(stroke * (s <= 1.0 ? s : s <= 3.0 ? 2.0 - s : s - 4.0));
    triangle.force.push_back(0.0);
  }
  imagined.loops.push_back(triangle);
  Proposal slow{{data.map.axis, "static", 0.0, stroke, 0.0, 0.0, "", 0.0, ""}, {}};
  for (int i = 0; i < 4 * corners; ++i) slow.rows.push_back(at + i);
  proposals.push_back(std::move(slow));

  Comparison comparison(imagined, options.criterion, std::vector<bool>(imagined.map.rows.size(), true));
  Eigen::VectorXd r = Eigen::VectorXd::Zero(comparison.residuals());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(comparison.residuals(), layout.size);
  if (!evaluate_residuals(comparison, layout, fit.theta, r, &J)) return {};
  // Noise of a measurement not made yet: that of its kind, or 0.5 % of the largest force for a first static loop.
  double static_noise = groups[group_static].noise;
  if (data.loops.empty()) static_noise = 0.005 * stroke * setup.layout.base.static_stiffness;
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    const int g = comparison.group[static_cast<std::size_t>(i)];
    J.row(i) /= g == group_static ? static_noise : groups[static_cast<std::size_t>(g)].noise;
  }

  const auto deviations = [&](const Eigen::MatrixXd& M) {
    const Eigen::MatrixXd inverse = symmetric_inverse(M);
    Eigen::VectorXd sd(static_cast<Eigen::Index>(watched.size()));
    for (std::size_t i = 0; i < watched.size(); ++i)
      sd[static_cast<Eigen::Index>(i)] = std::sqrt(std::max(0.0, inverse(watched[i], watched[i])));
    return sd;
  };
  const Eigen::VectorXd before = deviations(information);
  for (Proposal& proposal : proposals) {
    Eigen::MatrixXd M = information;
    for (const Eigen::Index row : proposal.rows) M += J.row(row).transpose() * J.row(row);
    const Eigen::VectorXd shrink = 1.0 - (deviations(M).array() / before.array());
    Eigen::Index best = 0;
    proposal.advice.best_gain = shrink.maxCoeff(&best);
    proposal.advice.best_for = names[static_cast<std::size_t>(best)];
    proposal.advice.gain = shrink.mean();
  }

  std::vector<Advice> advice;
  const bool torsion = data.map.axis == AxisKind::rotation;
  const auto length = [&](double a) {
    return torsion ? fmt::format("{:.3g} deg", a / degree) : fmt::format("{:.3g} mm", 1e3 * a);
  };
  for (const char* kind : {"point", "sweep", "static"}) {
    const Proposal* best = nullptr;
    for (const Proposal& p : proposals)
      if (p.advice.kind == kind && (best == nullptr || p.advice.gain > best->advice.gain)) best = &p;
    if (best == nullptr || best->advice.gain < 0.005) continue;
    Advice a = best->advice;
    const std::string load = preloads.size() > 1 && a.kind != "static"
                                 ? fmt::format(" at preload {:.4g} {}", a.preload, torsion ? "N m" : "N")
                                 : "";
    const std::string what =
        a.kind == "point" ? fmt::format("one more point at {:.3g} Hz, {}{}", a.frequency_hz, length(a.amplitude), load)
        : a.kind == "sweep" ? fmt::format("one more sweep at {}{}, {:.2g} to {:.3g} Hz", length(a.amplitude), load,
                                          frequency.lower, frequency.upper)
                            : fmt::format("a slow static loop over +-{}", length(a.amplitude));
    a.words = fmt::format("{} would shrink the intervals by {:.0f} % on average, that of {} by {:.0f} %", what,
                          100.0 * a.gain, a.best_for, 100.0 * a.best_gain);
    advice.push_back(std::move(a));
  }
  std::sort(advice.begin(), advice.end(), [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  return advice;
}

}  // namespace kdyn::inline identify
