// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/elastomer_fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/identify/internal/advise.hpp"
#include "kdyn/identify/internal/fit_report.hpp"
#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/residuals.hpp"
#include "kdyn/numerics/least_squares.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn {
namespace {

using namespace identify;

constexpr double huber_sigma = 4.0;

struct Solved {
  Layout layout;
  LeastSquaresResult fit;
  std::array<FitGroup, group_count> groups;
};

class Fitter {
 public:
  Fitter(const ElastomerData& data, const ElastomerFitOptions& options, Comparison comparison, Progress& progress)
      : data_(data),
        options_(options),
        comparison_(std::move(comparison)),
        progress_(progress) {}

  // Least squares, noise from the residuals, least squares with them; until the noise levels stand still.
  Solved solve(const FitSetup& setup) {
    robust_.assign(comparison_.group.size(), 1.0);
    return solve(setup, first_groups(), true);
  }
  // The same from known noise levels; held, two solutions can be compared by their cost.
  Solved solve(const FitSetup& setup, const std::array<FitGroup, group_count>& groups, bool update) {
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
        r[row] = (theta[prior.at] - prior.mean) / prior.sd;
        if (J != nullptr) (*J)(row, prior.at) = 1.0 / prior.sd;
      }
      return true;
    };
    LeastSquaresOptions settings;
    settings.max_iterations = static_cast<int>(options_.max_iterations);
    Eigen::VectorXd theta = setup.start;
    constexpr int rounds = 6;
    for (int round = 0;; ++round) {
      // Noise levels need no exact minimum; the last solution does.
      const bool last = !update || round + 1 == rounds;
      settings.function_tolerance = last ? 1e-12 : 1e-5;
      set_weights(solved.groups);
      LeastSquaresResult fit = solve_least_squares(problem, theta, settings, progress_);
      fit.iterations += solved.fit.iterations;
      fit.evaluations += solved.fit.evaluations;
      fit.cost_history.insert(fit.cost_history.begin(), solved.fit.cost_history.begin(), solved.fit.cost_history.end());
      solved.fit = std::move(fit);
      theta = solved.fit.theta;
      if (solved.fit.stopped || last) break;
      if (!update_noise(problem, solved)) update = false;
    }
    return solved;
  }

  const Comparison& comparison() const { return comparison_; }

 private:
  std::array<FitGroup, group_count> first_groups() const {
    std::array<FitGroup, group_count> groups;
    groups[group_k_dyn] = {"k_dyn", "-", 0, 0, options_.noise_k_dyn_rel.value_or(0.01), options_.noise_k_dyn_rel.has_value(), 1.0};
    const double angle = options_.noise_loss_angle_deg.value_or(0.3) * std::numbers::pi / 180.0;
    groups[group_loss_angle] = {"loss_angle", "rad", 0, 0, angle, options_.noise_loss_angle_deg.has_value(), 1.0};
    groups[group_static] = {"static", "N", 0, 0, 0.01 * largest_force(data_.loops), false, 1.0};
    groups[group_transient] = {"transient", "N", 0, 0, 0.02 * largest_force(data_.series), false, 1.0};
    for (const int g : comparison_.group) ++groups[static_cast<std::size_t>(g)].count;
    return groups;
  }

  template <class Records>
  static double largest_force(const Records& records) {
    double largest = 1e-12;
    for (const auto& record : records)
      for (const double f : record.force) largest = std::max(largest, std::abs(f));
    return largest;
  }

  void set_weights(const std::array<FitGroup, group_count>& groups) {
    const std::array<double, group_count> user = {options_.weight_k_dyn, options_.weight_loss_angle, options_.weight_static,
                                                  options_.weight_transient};
    for (std::size_t i = 0; i < comparison_.group.size(); ++i) {
      const auto g = static_cast<std::size_t>(comparison_.group[i]);
      comparison_.weight[i] = std::sqrt(user[g]) * robust_[i] / (groups[g].noise * groups[g].widening);
    }
  }

  // Noise of each group from its residuals [identify E5]; false when nothing changed by more than 1 %.
  bool update_noise(const LeastSquaresProblem& problem, Solved& solved) {
    std::array<std::vector<double>, group_count> residuals;
    std::array<std::vector<std::size_t>, group_count> index;
    for (std::size_t i = 0; i < comparison_.group.size(); ++i) {
      if (!(comparison_.weight[i] > 0.0)) continue;
      const auto g = static_cast<std::size_t>(comparison_.group[i]);
      residuals[g].push_back(solved.fit.residuals[static_cast<Eigen::Index>(i)] / comparison_.weight[i]);
      index[g].push_back(i);
    }
    bool changed = false;
    const double share = 1.0 - std::min(0.9, static_cast<double>(problem.parameters) / static_cast<double>(problem.residuals));
    for (std::size_t g = 0; g < group_count; ++g) {
      FitGroup& group = solved.groups[g];
      if (residuals[g].size() < 3) continue;
      const double rough = robust_scale(residuals[g]);
      double square = 0.0;
      std::size_t inside = 0;
      for (const double r : residuals[g])
        if (std::abs(r) <= huber_sigma * rough || rough == 0.0) {
          square += r * r;
          ++inside;
        }
      // A floor keeps exact (simulated) data from asking for more digits than arithmetic has.
      const double floor =
          g == group_static || g == group_transient ? 1e-9 * (g == group_static ? largest_force(data_.loops) : largest_force(data_.series)) : 1e-9;
      const double noise = std::max(floor, std::sqrt(square / (static_cast<double>(std::max<std::size_t>(inside, 1)) * share)));
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

  const ElastomerData& data_;
  const ElastomerFitOptions& options_;
  Comparison comparison_;
  Progress& progress_;
  std::vector<double> robust_;
};

// ymax stays free when the static loop tells it at all: away from its bounds and with a standard deviation below a factor of three.
// Friction called unlimited where it is not would make the static stiffness look more certain than it is.
bool limit_is_seen(const Solved& without, const Solved& with, const FitSetup& setup) {
  if (!with.fit.converged) return false;
  const int at = setup.layout.at[slot_ymax];
  const double gain = 2.0 * (without.fit.final_cost - with.fit.final_cost);
  const bool at_bound = with.fit.theta[at] > setup.upper[at] - 0.1 || with.fit.theta[at] < setup.lower[at] + 0.1;
  return gain > 1.0 && !at_bound && covariance_of(with.fit.jacobian).standard_deviation[at] < 1.1;
}

constexpr std::size_t most_map_rows = 200'000;

// Values of a data sheet beside measurements would be left unused, and a fit without weight has nothing to fit.
void check_data_options(const ElastomerData& data, const ElastomerFitOptions& options) {
  const std::pair<const char*, const std::optional<double>&> sheet[] = {{"static_stiffness", options.static_stiffness},
                                                                        {"dynamic_hardening_1", options.dynamic_hardening_1},
                                                                        {"dynamic_hardening_2", options.dynamic_hardening_2},
                                                                        {"loss_angle_deg", options.loss_angle_deg}};
  for (const auto& [name, value] : sheet)
    if (value)
      throw_bad_input(name, fmt::format("{:g} is a value of a data sheet, but measurements are given", *value),
                      name == sheet[0].first ? "hold it by fix static_stiffness=VALUE, or leave one of the two out" : "leave one of the two out");
  if (data.map.rows.size() > most_map_rows)
    throw_bad_input(data.map.source.path, fmt::format("the map has {} rows, a fit takes at most {}", data.map.rows.size(), most_map_rows),
                    "thin the map out; a thousand rows tell as much");
  const bool some = (!data.map.rows.empty() && (options.weight_k_dyn > 0.0 || options.weight_loss_angle > 0.0)) ||
                    (!data.loops.empty() && options.weight_static > 0.0) || (!data.series.empty() && options.weight_transient > 0.0);
  if (!some) throw_bad_input("weight_k_dyn", "all data have the weight 0", "give at least one weight above 0");
}

ElastomerFitResult fit_to_data(const ElastomerData& data, const ElastomerFitOptions& options, Progress& progress) {
  check_data_options(data, options);
  ElastomerFitResult result;
  result.findings = examine_all(data);
  result.row_used = usable_rows(data, options, result.findings);

  Fitter fitter(data, options, Comparison(data, options.criterion, result.row_used), progress);
  const FitSetup setup = make_setup(data, options, fitter.comparison(), false, result.findings);
  Solved solved = fitter.solve(setup);
  FitSetup used = setup;
  if (solved.fit.converged && may_fit_limit(data, options)) {
    std::vector<Finding> repeated;  // the same as those of the first setup
    FitSetup limited = make_setup(data, options, fitter.comparison(), true, repeated);
    continue_from(setup, solved.fit.theta, limited);
    const Solved with = fitter.solve(limited, solved.groups, true);
    const Solved without = fitter.solve(continued(setup, solved.fit.theta), with.groups, false);
    if (limit_is_seen(without, with, limited)) {
      solved = with;
      used = limited;
    } else {
      result.findings.push_back({Severity::note, "ymax_not_seen", "ymax",
                                 "the static loop does not show a limit of the friction force: friction is taken as unlimited",
                                 "give ymax by fix, or measure a slow loop over a longer stroke"});
    }
  } else if (!options.fix.contains("ymax") && data.loops.empty()) {
    result.findings.push_back({Severity::note, "ymax_not_seen", "ymax",
                               "a sweep cannot show a limit of the friction force: friction is taken as unlimited",
                               "add a static loop, or give ymax by fix"});
  }
  result.iterations = solved.fit.iterations;
  result.evaluations = solved.fit.evaluations;
  result.cost_history = solved.fit.cost_history;
  result.status = solved.fit.stopped ? "stopped" : solved.fit.converged ? "converged" : "not_converged";
  result.reason = solved.fit.converged ? fmt::format("the residuals fall no further after {} iterations", solved.fit.iterations) : solved.fit.reason;
  for (const FitGroup& group : solved.groups)
    if (group.count > 0) result.groups.push_back(group);
  report_fit(data, options, used, solved.fit, result);
  result.advice = advise(data, options, used, solved.fit, solved.groups);
  return result;
}

ElastomerFitResult fit_to_sheet(const ElastomerFitOptions& options) {
  const auto need = [](const std::optional<double>& value, const char* name) {
    if (!value)
      throw_bad_input(name, "no data files are given and this value of the data sheet is missing",
                      "give --data FILE, or static_stiffness, dynamic_hardening_1, dynamic_hardening_2 and loss_angle_deg");
    return *value;
  };
  for (const char* found : {"lambda", "rdl", "rho"})
    if (options.fix.contains(found))
      throw_bad_input(std::string("fix.") + found, "this parameter is what the data sheet is solved for", "hold alpha, beta, gamma or ymax only");
  Elastomer<double> given = held_law(options);
  given.static_stiffness = need(options.static_stiffness, "static_stiffness");
  TwoPointInput input;
  input.dynamic_hardening_1 = need(options.dynamic_hardening_1, "dynamic_hardening_1");
  input.dynamic_hardening_2 = need(options.dynamic_hardening_2, "dynamic_hardening_2");
  input.loss_angle = need(options.loss_angle_deg, "loss_angle_deg") * std::numbers::pi / 180.0;
  input.amplitude_1 = options.amplitude_1;
  input.amplitude_2 = options.amplitude_2;
  input.frequency_hz = options.layout_frequency_hz;
  if (!(input.amplitude_1 < input.amplitude_2))
    throw_bad_input("amplitude_1", fmt::format("{:g} m is not below amplitude_2 = {:g} m", input.amplitude_1, input.amplitude_2),
                    "give the smaller amplitude first");
  if (!(input.dynamic_hardening_1 > input.dynamic_hardening_2))
    throw_bad_input("dynamic_hardening_1",
                    fmt::format("{:g} is not above dynamic_hardening_2 = {:g}", input.dynamic_hardening_1, input.dynamic_hardening_2),
                    "rubber is stiffer at the smaller amplitude; check the two values");
  const TwoPointResult solved = identify_two_point(given, input, options.criterion);
  ElastomerFitResult result;
  result.status = solved.status;
  result.reason = solved.reason.empty() ? "three equations for three parameters are met" : solved.reason;
  result.law = solved.law;
  prepare(result.law, "fit");
  result.iterations = solved.iterations;
  report_sheet(input, options, solved, result);
  return result;
}

}  // namespace

ElastomerFitResult fit_elastomer(const ElastomerData& data, const ElastomerFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  check_parameter_names(options);
  ElastomerFitResult result = data.empty() ? fit_to_sheet(options) : fit_to_data(data, options, progress);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace kdyn
