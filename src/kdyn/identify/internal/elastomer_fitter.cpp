// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/elastomer_fitter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "kdyn/numerics/scatter.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double huber_sigma = 4.0;

template <class Records>
double largest_force(const Records& records) {
  double largest = 1e-12;
  for (const auto& record : records)
    for (const double f : record.force) largest = std::max(largest, std::abs(f));
  return largest;
}

bool same(const LoopHistory& a, const LoopHistory& b) {
  return a.rest == b.rest && a.passes == b.passes && a.preload == b.preload;
}

}  // namespace

Fitter::Fitter(const ElastomerData& data, const ElastomerFitOptions& options, Comparison comparison, Progress& progress)
    : data_(data),
      options_(options),
      comparison_(std::move(comparison)),
      progress_(progress) {}

FitGroups Fitter::first_groups() const {
  FitGroups groups;
  groups[group_k_dyn] = {
      "k_dyn", "-", 0, 0, options_.noise_k_dyn_rel.value_or(0.01), options_.noise_k_dyn_rel.has_value(), 1.0};
  const double angle = options_.noise_loss_angle_deg.value_or(0.3) * std::numbers::pi / 180.0;
  groups[group_loss_angle] = {"loss_angle", "rad", 0, 0, angle, options_.noise_loss_angle_deg.has_value(), 1.0};
  groups[group_static] = {"static", "N", 0, 0, 0.01 * largest_force(data_.loops), false, 1.0};
  groups[group_transient] = {"transient", "N", 0, 0, 0.02 * largest_force(data_.series), false, 1.0};
  for (const int g : comparison_.group) ++groups[static_cast<std::size_t>(g)].count;
  return groups;
}

Solved Fitter::solve(const FitSetup& setup) {
  robust_.assign(comparison_.group.size(), 1.0);
  return solve(setup, first_groups(), true);
}

Solved Fitter::solve(const FitSetup& setup, const FitGroups& groups, bool update, double tolerance) {
  Solved solved;
  solved.layout = setup.layout;
  solved.groups = groups;
  LeastSquaresProblem problem;
  problem.parameters = setup.layout.size;
  problem.residuals = comparison_.residuals() + static_cast<int>(setup.priors.size());
  problem.lower = setup.lower;
  problem.upper = setup.upper;
  problem.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    if (!evaluate_residuals(comparison_, solved.layout, theta, r, J)) return false;
    for (Eigen::Index i = 0; i < comparison_.residuals(); ++i) {
      const double w = comparison_.weight[static_cast<std::size_t>(i)];
      r[i] *= w;
      if (J != nullptr) J->row(i) *= w;
    }
    for (std::size_t i = 0; i < setup.priors.size(); ++i) {
      const Prior& prior = setup.priors[i];
      const Eigen::Index row = comparison_.residuals() + static_cast<Eigen::Index>(i);
      r[row] = -prior.mean / prior.sd;
      if (J != nullptr) J->row(row).setZero();
      for (const auto& [at, factor] : prior.terms) {
        r[row] += factor * theta[at] / prior.sd;
        if (J != nullptr) (*J)(row, at) = factor / prior.sd;
      }
    }
    return true;
  };
  LeastSquaresOptions settings;
  // A rough solution only ranks histories: from a near one a few steps are enough.
  constexpr int rough_iterations = 6;
  settings.max_iterations = static_cast<int>(
      tolerance < 1e-9 ? options_.max_iterations : std::min<std::int64_t>(options_.max_iterations, rough_iterations));
  Eigen::VectorXd theta = setup.start;
  constexpr int rounds = 6;
  for (int round = 0;; ++round) {
    // Noise levels need no exact minimum; the last solution does.
    const bool last = !update || round + 1 == rounds;
    settings.function_tolerance = last ? tolerance : 1e-5;
    set_weights(solved.groups);
    LeastSquaresResult fit = solve_least_squares(problem, theta, settings, progress_);
    fit.iterations += solved.fit.iterations;
    fit.evaluations += solved.fit.evaluations;
    fit.cost_history.insert(fit.cost_history.begin(), solved.fit.cost_history.begin(), solved.fit.cost_history.end());
    solved.fit = std::move(fit);
    theta = solved.fit.theta;
    if (solved.fit.stopped || last) break;
    if (!update_noise(solved)) update = false;
  }
  return solved;
}

void Fitter::set_weights(const FitGroups& groups) {
  const std::array<double, group_count> user = {options_.weight_k_dyn, options_.weight_loss_angle,
                                                options_.weight_static, options_.weight_transient};
  for (std::size_t i = 0; i < comparison_.group.size(); ++i) {
    const auto g = static_cast<std::size_t>(comparison_.group[i]);
    comparison_.weight[i] = std::sqrt(user[g]) * robust_[i] / (groups[g].noise * groups[g].widening);
  }
}

// Noise of each group from its residuals [identify E5]; false when nothing changed by more than 1 %.
bool Fitter::update_noise(Solved& solved) {
  std::array<std::vector<double>, group_count> residuals;
  std::array<std::vector<std::size_t>, group_count> index;
  for (std::size_t i = 0; i < comparison_.group.size(); ++i) {
    if (!(comparison_.weight[i] > 0.0)) continue;
    const auto g = static_cast<std::size_t>(comparison_.group[i]);
    residuals[g].push_back(solved.fit.residuals[static_cast<Eigen::Index>(i)] / comparison_.weight[i]);
    index[g].push_back(i);
  }
  bool changed = false;
  // Each group pays for the unknowns it determines: the sum of its leverages.
  const Eigen::MatrixXd& J = solved.fit.jacobian;
  Eigen::MatrixXd information = J.transpose() * J;
  information.diagonal().array() += 1e-12 * information.diagonal().mean();
  const Eigen::MatrixXd weighted = information.ldlt().solve(Eigen::MatrixXd(J.transpose()));
  std::array<double, group_count> paid{};
  for (std::size_t i = 0; i < comparison_.group.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    paid[static_cast<std::size_t>(comparison_.group[i])] += J.row(at).dot(weighted.col(at));
  }
  for (std::size_t g = 0; g < group_count; ++g) {
    FitGroup& group = solved.groups[g];
    if (residuals[g].size() < 3) continue;
    const double share = 1.0 - std::clamp(paid[g] / static_cast<double>(residuals[g].size()), 0.0, 0.9);
    const double rough = robust_scale(residuals[g]);
    double square = 0.0;
    std::size_t inside = 0;
    for (const double r : residuals[g])
      if (std::abs(r) <= huber_sigma * rough || rough == 0.0) {
        square += r * r;
        ++inside;
      }
    // A floor keeps exact (simulated) data from asking for more digits than arithmetic has.
    const double floor = g == group_static || g == group_transient
                             ? 1e-9 * (g == group_static ? largest_force(data_.loops) : largest_force(data_.series))
                             : 1e-9;
    const double noise =
        std::max(floor, std::sqrt(square / (static_cast<double>(std::max<std::size_t>(inside, 1)) * share)));
    const double rho = lag_one_correlation(residuals[g]);
    // Correlated neighbours are no independent measurements: n (1-rho)/(1+rho) of them count.
    const bool significant = rho > 3.0 / std::sqrt(static_cast<double>(residuals[g].size()));
    const double widening = significant ? std::sqrt((1.0 + std::min(rho, 0.999)) / (1.0 - std::min(rho, 0.999))) : 1.0;
    const double used = group.noise_given ? group.noise : noise;
    changed = changed || std::abs(used * widening / (group.noise * group.widening) - 1.0) > 0.01;
    group.noise = used;
    group.widening = widening;
    group.down_weighted = 0;
    for (std::size_t i = 0; i < residuals[g].size(); ++i) {
      const double excess = std::abs(residuals[g][i]) / (huber_sigma * used);
      robust_[index[g][i]] = excess > 1.0 ? 1.0 / std::sqrt(excess) : 1.0;
      if (excess > 1.0) ++group.down_weighted;
    }
  }
  return changed;
}

// A wrong history leaves residuals that are no noise; weights made of them would hide that it is wrong. Histories are
// ranked by the noise of the loops themselves, from sample to sample, but by no more digits than a bench has.
FitGroups Fitter::without_model_error(FitGroups groups) const {
  Scatter scatter;
  for (const StaticLoop& loop : data_.loops) {
    std::vector<double> order(loop.force.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<double>(i);
    scatter.add(order, loop.force);
  }
  groups[group_static].noise =
      std::min(groups[group_static].noise, std::max(scatter.noise(), 5e-4 * largest_force(data_.loops)));
  groups[group_k_dyn].noise = std::max(groups[group_k_dyn].noise, 1e-3);
  groups[group_loss_angle].noise = std::max(groups[group_loss_angle].noise, 1e-3);
  for (FitGroup& group : groups) group.widening = 1.0;
  return groups;
}

// About what a fit with another history of one loop would leave: the loop itself, and all else as the tangent at a
// solution sees it. Ten times quicker than a fit where there are transients.
double Fitter::cost_with(const LoopHistory& history, std::size_t loop, const FitSetup& from,
                         const LeastSquaresResult& now) {
  ElastomerData single;
  single.loops.push_back(data_.loops[loop]);
  Comparison alone(single, comparison_.criterion, {});
  alone.history[0] = history;
  const auto n = static_cast<Eigen::Index>(alone.residuals()), p = static_cast<Eigen::Index>(from.layout.size);
  Eigen::Index first = 2 * static_cast<Eigen::Index>(comparison_.rows.size());
  for (std::size_t i = 0; i < loop; ++i) first += static_cast<Eigen::Index>(comparison_.loop_samples[i].size());
  const double weight = comparison_.weight[static_cast<std::size_t>(first)];

  const Eigen::Index last = now.residuals.size() - first - n;
  Eigen::MatrixXd J(first + last, p);
  Eigen::VectorXd r(first + last);
  J << now.jacobian.topRows(first), now.jacobian.bottomRows(last);
  r << now.residuals.head(first), now.residuals.tail(last);
  Eigen::MatrixXd R = J.transpose() * J;
  R.diagonal().array() += 1e-12 * R.diagonal().mean();
  const Eigen::LLT<Eigen::MatrixXd> llt(R);
  const Eigen::MatrixXd U = llt.matrixU();
  const Eigen::VectorXd c = llt.matrixL().solve(Eigen::VectorXd(J.transpose() * r));

  LeastSquaresProblem problem;
  problem.parameters = from.layout.size;
  problem.residuals = static_cast<int>(n + p);
  problem.lower = from.lower;
  problem.upper = from.upper;
  problem.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& out, Eigen::MatrixXd* slopes) {
    Eigen::VectorXd force(n);
    Eigen::MatrixXd by(slopes != nullptr ? n : 0, p);
    if (!evaluate_residuals(alone, from.layout, theta, force, slopes != nullptr ? &by : nullptr)) return false;
    out << weight * force, c + U * (theta - now.theta);
    if (slopes != nullptr) *slopes << weight * by, U;
    return true;
  };
  LeastSquaresOptions settings;
  settings.max_iterations = 6;
  settings.function_tolerance = 1e-4;
  return solve_least_squares(problem, from.start, settings, progress_).final_cost +
         0.5 * (r.squaredNorm() - c.squaredNorm());
}

Solved Fitter::choose_histories(const FitSetup& setup, Solved best) {
  constexpr double better = 0.1;  // of the cost, half a chi-square: less is a matter of rounding
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(setup.layout.size, setup.layout.size);
  std::set<double> seen;
  for (const std::size_t i : comparison_.rows) seen.insert(data_.map.rows[i].preload);
  const std::vector<double> preloads(seen.begin(), seen.end());
  for (std::size_t i = 0; i < data_.loops.size(); ++i) {
    // Once more from the better one: it has lower noise, and what seemed alike then differs.
    for (int round = 0; round < 3 && best.fit.converged; ++round) {
      const Candidate<double> c = make_candidate<double>(best.layout, [&](int k) { return best.fit.theta[k]; });
      std::vector<double> at;
      for (const double preload : preloads) at.push_back(c.at_preload(preload).u0);
      const LoopHistory before = comparison_.history[i];
      LoopHistory taken = before;
      FitSetup from = setup;
      from.start = best.fit.theta;
      robust_.assign(robust_.size(), 1.0);
      const FitGroups fair = without_model_error(best.groups);
      const Solved now = solve(from, fair, false, 1e-4);
      double least = now.fit.final_cost - better;
      std::vector<Alternative> all;
      for (const LoopHistory& history : possible_histories(data_.loops[i], preloads, at)) {
        if (progress_.stop_requested()) break;
        // What is clearly worse needs no fit of its own. The tangent may be wrong by some share of what it starts from.
        constexpr double clearly = 1.5, at_least = 20.0;
        if (!same(history, before) && cost_with(history, i, from, now.fit) > clearly * now.fit.final_cost + at_least)
          continue;
        comparison_.history[i] = history;
        const Solved other = same(history, before) ? now : solve(from, fair, false, 1e-4);
        all.push_back({other.fit.final_cost, other.fit.theta});
        if (!(other.fit.final_cost < least)) continue;
        least = other.fit.final_cost;
        taken = history;
      }
      comparison_.history[i] = taken;
      if (same(taken, before)) {
        spread += spread_about(now.fit.theta, all);
        break;
      }
      best = solve(from, best.groups, true);
    }
  }
  best.spread = std::move(spread);
  return best;
}

}  // namespace kdyn::inline identify
