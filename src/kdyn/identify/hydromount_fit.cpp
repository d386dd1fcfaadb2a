// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/hydromount_fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/internal/hydromount_fit_report.hpp"
#include "kdyn/identify/internal/hydromount_start.hpp"
#include "kdyn/identify/internal/start_values.hpp"
#include "kdyn/numerics/least_squares.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn {
namespace {

using namespace identify;

constexpr double degree = std::numbers::pi / 180.0;

std::vector<int> slots_of(const HydroLayout& layout) {
  std::vector<int> slots = {hydro_main_k, hydro_chamber_k, hydro_mass, hydro_linear, hydro_power};
  if (layout.rubber)
    slots.insert(slots.end(), {hydro_main_c, hydro_t2, hydro_t_ratio, hydro_main_h, hydro_main_rho, hydro_chamber_c, hydro_chamber_h, hydro_chamber_rho});
  if (layout.decoupler) slots.insert(slots.end(), {hydro_clearance, hydro_residual});
  if (layout.bypass) slots.insert(slots.end(), {hydro_bypass, hydro_threshold});
  std::sort(slots.begin(), slots.end());
  return slots;
}

// Do neighbouring rows of the map err in the same direction? Then something is still missing in the model.
bool systematic(const std::vector<HydroRow>& rows) {
  std::vector<std::size_t> level;
  const std::vector<double> amplitudes = amplitude_levels(rows, level);
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return level[a] != level[b] ? level[a] < level[b] : rows[a].omega < rows[b].omega; });
  std::vector<double> k, angle;
  for (const std::size_t i : order) {
    if (rows[i].weight < 1.0) continue;
    k.push_back(std::log(std::abs(rows[i].model) / rows[i].k_dyn));
    angle.push_back(wrapped(std::arg(rows[i].model) - rows[i].loss_angle));
  }
  constexpr double correlated = 0.4;
  return k.size() > 20 && (lag_one_correlation(k) > correlated || lag_one_correlation(angle) > correlated);
}

class HydroFitter {
 public:
  HydroFitter(HydroProblem problem, const HydroMountFitOptions& options, Progress& progress)
      : problem_(std::move(problem)), options_(options), progress_(progress) {}

  // A fitted level: values, rows as they were left (roots, corrections), and how good it is.
  struct Fitted {
    HydroLayout layout;
    HydroFeatures features;
    HydroDetail detail = HydroDetail::springs;
    std::vector<HydroRow> rows;
    double chi_square = std::numeric_limits<double>::infinity();
    bool converged = false;
  };

  // [identify E33] First-harmonic fit in stages, from features or from a simpler level.
  Fitted fit(HydroDetail detail, double exponent, const HydroFeatures& features, const Fitted* simpler) {
    Fitted out;
    out.detail = detail;
    out.features = features;
    HydroLayout& layout = out.layout;
    layout.exponent = exponent;
    layout.rubber = detail >= HydroDetail::rubber;
    // A bypass is added to what was accepted before it.
    layout.decoupler = detail == HydroDetail::decoupler || (detail == HydroDetail::bypass && simpler != nullptr && simpler->layout.decoupler);
    layout.bypass = detail >= HydroDetail::bypass;
    layout.values = features.values;
    // A simpler level that had to make up for a missing decoupler is no start.
    if (simpler != nullptr && !(detail == HydroDetail::decoupler && features.decoupler_shows)) {
      layout.values = simpler->layout.values;
      // Friction takes part of what was a spring.
      if (layout.rubber && !simpler->layout.rubber)
        for (const int slot : {hydro_main_k, hydro_main_h, hydro_main_rho}) layout.values[static_cast<std::size_t>(slot)] = features.values[static_cast<std::size_t>(slot)];
    }
    for (const auto& [name, value] : options_.fix)
      for (std::size_t s = 0; s < hydro_slots.size(); ++s)
        if (name == hydro_slots[s].name) layout.values[s] = value;
    for (HydroRow& row : problem_.rows) row.correction = 0.0;
    set_priors(features, layout);
    // Where a decoupler shows, the levels without one only tell how much it gains.
    const bool outlook = detail < HydroDetail::decoupler && features.decoupler_shows && options_.detail == HydroDetail::automatic;
    if (detail == HydroDetail::springs) {
      stage(out, {hydro_chamber_k, hydro_mass, hydro_linear, hydro_power}, true, 20, 1e-3);
      stage(out, slots_of(layout), false, outlook ? 6 : 30, 1e-4);
    } else {
      std::vector<int> hydraulic = {hydro_chamber_k, hydro_mass, hydro_linear, hydro_power};
      if (layout.decoupler) hydraulic.insert(hydraulic.end(), {hydro_clearance, hydro_residual});
      if (layout.bypass) hydraulic.insert(hydraulic.end(), {hydro_bypass, hydro_threshold});
      if (!outlook) stage(out, hydraulic, true, 20, 1e-4);
      hydraulic.insert(hydraulic.end(), {hydro_main_k, hydro_main_c, hydro_main_h, hydro_chamber_h, hydro_chamber_c});
      stage(out, hydraulic, true, outlook ? 8 : 20, 1e-4);
      stage(out, slots_of(layout), false, outlook ? 6 : 25, 2e-4);
    }
    keep(out);
    return out;
  }

  // [identify E32]
  void refine(Fitted& fitted, int times, double tolerance) {
    problem_.rows = fitted.rows;
    set_priors(fitted.features, fitted.layout);
    for (int i = 0; i < times; ++i) {
      problem_.correct(fitted.layout, 3);
      stage(fitted, slots_of(fitted.layout), false, 20, tolerance, false);  // a correction belongs to its root
    }
    if (times > 0) problem_.correct(fitted.layout, 3);
    keep(fitted);
  }

  HydroProblem& problem() { return problem_; }
  std::vector<double> history;
  int iterations = 0;
  bool stopped() const { return progress_.stop_requested(); }

  // The last least-squares problem, for the covariance.
  LeastSquaresResult last;
  void final_solve(Fitted& fitted) {
    problem_.rows = fitted.rows;
    set_priors(fitted.features, fitted.layout);
    stage(fitted, slots_of(fitted.layout), false, static_cast<int>(options_.max_iterations), 1e-6, false);
    keep(fitted);
  }

 private:
  void keep(Fitted& fitted) {
    fitted.chi_square = problem_.chi_square(fitted.layout);
    fitted.rows = problem_.rows;
  }

  void set_priors(const HydroFeatures& features, const HydroLayout&) {
    if (!options_.priors) return;
    const auto prior = [&](int slot, double value, double sigma) { problem_.priors[static_cast<std::size_t>(slot)] = {std::log(value), sigma}; };
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
  }

  void stage(Fitted& fitted, std::vector<int> slots, bool coarse, int most, double tolerance, bool choose = true) {
    if (stopped()) return;
    HydroLayout& layout = fitted.layout;
    std::erase_if(slots, [&](int slot) { return options_.fix.contains(hydro_slots[static_cast<std::size_t>(slot)].name); });
    layout.free = slots;
    problem_.huber = coarse ? 20.0 : 5.0;
    if (choose) problem_.choose_roots(layout);
    const auto count = static_cast<Eigen::Index>(slots.size());
    LeastSquaresProblem problem;
    problem.parameters = static_cast<int>(count);
    problem.residuals = problem_.residuals(layout, coarse);
    problem.lower.resize(count);
    problem.upper.resize(count);
    Eigen::VectorXd start(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto slot = static_cast<std::size_t>(slots[static_cast<std::size_t>(i)]);
      problem.lower[i] = std::log(fitted.features.lower[slot]);
      problem.upper[i] = std::log(fitted.features.upper[slot]);
      start[i] = std::clamp(std::log(layout.values[slot]), problem.lower[i], problem.upper[i]);
    }
    problem.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) { return problem_.evaluate(layout, theta, coarse, r, J); };
    LeastSquaresOptions settings;
    settings.max_iterations = most;
    settings.function_tolerance = tolerance;
    settings.gradient_tolerance = 1e-9;
    settings.parameter_tolerance = 1e-9;
    last = solve_least_squares(problem, start, settings, progress_);
    iterations += last.iterations;
    history.insert(history.end(), last.cost_history.begin(), last.cost_history.end());
    fitted.converged = last.converged;
    for (Eigen::Index i = 0; i < count; ++i) layout.values[static_cast<std::size_t>(slots[static_cast<std::size_t>(i)])] = std::exp(last.theta[i]);
  }

  HydroProblem problem_;
  const HydroMountFitOptions& options_;
  Progress& progress_;
};

// The preload whose rows are fitted; the others are named.
double chosen_preload(const ElastomerData& data, const HydroMountFitOptions& options, std::vector<Finding>& findings) {
  std::map<long, std::size_t> count;  // preloads within 1 N are one
  for (const MapRow& row : data.map.rows) ++count[std::lround(row.preload)];
  if (options.preload) {
    if (!count.contains(std::lround(*options.preload)))
      throw_bad_input("preload", fmt::format("the map has no rows at {:g} N", *options.preload), "take a preload of the map");
    return *options.preload;
  }
  auto best = count.begin();
  for (auto it = count.begin(); it != count.end(); ++it)
    if (it->second > best->second) best = it;
  if (count.size() > 1)
    findings.push_back({Severity::warning, "preloads_left_out", "preload", fmt::format("the map has {} preloads; the rows at {} N are fitted", count.size(), best->first),
                        "fit each preload with --preload and compare the chamber stiffness"});
  return static_cast<double>(best->first);
}

HydroProblem make_problem(const ElastomerData& data, const HydroMountFitOptions& options, HydroMountFitResult& result) {
  HydroProblem problem;
  result.preload = chosen_preload(data, options, result.findings);
  result.row_used.assign(data.map.rows.size(), false);
  result.at_fold.assign(data.map.rows.size(), false);
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
    const MapRow& row = data.map.rows[i];
    if (std::abs(row.preload - result.preload) > 1.0 || !(row.k_dyn > 0.0) || !(row.frequency_hz > 0.0) || !(row.amplitude > 0.0)) continue;
    HydroRow out;
    out.frequency_hz = row.frequency_hz;
    out.omega = 2.0 * std::numbers::pi * row.frequency_hz;
    out.amplitude = row.amplitude;
    out.k_dyn = row.k_dyn;
    out.loss_angle = row.loss_angle;
    out.source = i;
    problem.rows.push_back(out);
    result.row_used[i] = true;
  }
  if (problem.rows.size() < 12)
    throw_bad_input("data", fmt::format("{} usable rows of a map are too few for a hydro mount", problem.rows.size()), "measure at least 12 points, below and above the resonance");
  // Every third frequency of each amplitude for the first stages.
  std::vector<std::size_t> level;
  const std::vector<double> amplitudes = amplitude_levels(problem.rows, level);
  for (std::size_t a = 0; a < amplitudes.size(); ++a) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < level.size(); ++i)
      if (level[i] == a) members.push_back(i);
    std::sort(members.begin(), members.end(), [&](std::size_t x, std::size_t y) { return problem.rows[x].omega < problem.rows[y].omega; });
    for (std::size_t i = 0; i < members.size(); ++i) problem.rows[members[i]].coarse = members.size() < 12 || i % 3 == a % 3;
  }
  problem.sigma_k = options.noise_k_dyn_rel.value_or(0.01);
  problem.sigma_angle = options.noise_loss_angle_deg.value_or(0.5) * degree;
  constexpr std::size_t most_samples = 200;
  for (const StaticLoop& loop : data.loops) {
    StaticLoop thin;
    const std::size_t stride = std::max<std::size_t>(1, (loop.displacement.size() + most_samples - 1) / most_samples);
    double largest = 0.0;
    for (std::size_t i = 0; i < loop.displacement.size(); i += stride) {
      thin.displacement.push_back(loop.displacement[i]);
      thin.force.push_back(loop.force[i]);
      largest = std::max(largest, std::abs(loop.force[i]));
    }
    if (thin.displacement.size() < 4) continue;
    problem.sigma_static = std::max(problem.sigma_static, 0.01 * largest);
    problem.loops.push_back(std::move(thin));
  }
  return problem;
}

void check_names(const HydroMountFitOptions& options) {
  std::vector<std::string> known;
  for (const HydroSlotInfo& slot : hydro_slots) known.push_back(slot.name);
  for (const auto& [name, value] : options.fix) {
    if (std::find(known.begin(), known.end(), name) == known.end()) throw_bad_input("fix." + name, fmt::format("{} is no parameter of this fit", in_quotes(name)), suggest(name, known));
    if (!(value > 0.0) || !std::isfinite(value)) throw_bad_input("fix." + name, fmt::format("{:g} is not above 0", value), "give a positive value in SI units");
  }
}

// A level must lower the squares by 3 % and by 25 to be believed  [identify E33].
bool earns(double with, double without) { return with < 0.97 * without - 25.0; }

}  // namespace

HydroMountFitResult fit_hydromount(const ElastomerData& data, const HydroMountFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  check_names(options);
  if (data.map.axis == AxisKind::rotation) throw_bad_input("data", "a hydro mount is translational", "give a map with displacement and force");
  if (data.map.rows.empty()) throw_bad_input("data", "a hydro mount needs a dynamic-stiffness map", "add a file with frequency, amplitude, k_dyn and loss_angle");
  HydroMountFitResult result;
  HydroFitter fitter(make_problem(data, options, result), options, progress);
  std::optional<double> secant;
  if (!data.loops.empty()) secant = secant_slope(data.loops.front().displacement, data.loops.front().force);

  using Fitted = HydroFitter::Fitted;
  std::vector<double> exponents = options.fluid_damping_exponent ? std::vector<double>{*options.fluid_damping_exponent} : std::vector<double>{2.0, 3.0};
  const bool automatic = options.detail == HydroDetail::automatic;
  std::vector<HydroDetail> wanted;
  for (const HydroDetail detail : {HydroDetail::springs, HydroDetail::rubber, HydroDetail::decoupler})
    if (automatic || detail <= options.detail) wanted.push_back(detail);
  if (automatic || options.detail == HydroDetail::bypass) wanted.push_back(HydroDetail::bypass);

  const int corrections = static_cast<int>(options.corrections);
  std::map<double, HydroFeatures> features;
  std::map<double, Fitted> simpler;      // of each exponent
  std::optional<Fitted> best;
  for (const double n : exponents) features[n] = hydro_features(fitter.problem().rows, n, secant);
  const auto describe = [&](const Fitted& fitted, bool accepted, std::string note) {
    HydroLevel level;
    level.detail = fitted.detail;
    level.exponent = fitted.layout.exponent;
    level.parameters = static_cast<int>(fitted.layout.free.size());
    level.chi_square = fitted.chi_square / (2.0 * static_cast<double>(fitted.rows.size()));
    double k = 0.0, angle = 0.0;
    for (const HydroRow& row : fitted.rows) {
      const double ek = std::abs(row.model) / row.k_dyn - 1.0, ea = wrapped(std::arg(row.model) - row.loss_angle);
      k += ek * ek / static_cast<double>(fitted.rows.size());
      angle += ea * ea / static_cast<double>(fitted.rows.size());
    }
    level.rms_k_dyn_rel = std::sqrt(k);
    level.rms_loss_angle = std::sqrt(angle);
    level.tried = true;
    level.accepted = accepted;
    level.note = std::move(note);
    result.levels.push_back(std::move(level));
  };
  double lowest_before = std::numeric_limits<double>::infinity();  // first-harmonic misfit of the simpler levels
  for (std::size_t step = 0; step < wanted.size() && !fitter.stopped(); ++step) {
    const HydroDetail detail = wanted[step];
    if (detail == HydroDetail::bypass && best) {
      if (automatic && !systematic(best->rows)) break;  // nothing is left that a bypass could explain
      exponents = {best->layout.exponent};
      simpler[exponents.front()] = *best;
    }
    progress.report(0.2 + 0.6 * static_cast<double>(step) / static_cast<double>(wanted.size()), to_string(detail));
    // Both exponents by their first harmonic; the correction, which costs most, for those that can still win.
    double lowest = std::numeric_limits<double>::infinity();
    for (const double n : exponents) {
      const auto before = simpler.find(n);
      Fitted fitted = fitter.fit(detail, n, features[n], before == simpler.end() ? nullptr : &before->second);
      lowest = std::min(lowest, fitted.chi_square);
      simpler[n] = std::move(fitted);
    }
    // A misfit of more than three sigma is not one of missing harmonics: a richer level has to explain it.
    const bool rough = automatic && detail < HydroDetail::decoupler && lowest > 9.0 * 2.0 * static_cast<double>(fitter.problem().rows.size());
    const bool hopeless = automatic && best && lowest > 0.97 * lowest_before;
    std::optional<Fitted> here;
    for (const double n : exponents) {
      Fitted& fitted = simpler[n];
      if (fitted.chi_square > 1.5 * lowest + 25.0) continue;
      if (!hopeless && !rough) fitter.refine(fitted, std::max(1, corrections - 1), 1e-4);
      if (!here || fitted.chi_square < here->chi_square) here = fitted;
    }
    lowest_before = std::min(lowest, lowest_before);
    // A level that describes the data settles the exponent.
    if (!rough && !hopeless) std::erase_if(exponents, [&](double n) { return simpler[n].chi_square > 1.3 * here->chi_square + 25.0; });
    if (hopeless) {
      describe(*here, false, "first harmonics alone show no gain");
      continue;
    }
    const bool accepted = !best || earns(here->chi_square, best->chi_square) || !automatic;
    describe(*here, accepted, accepted ? "" : "does not lower the misfit enough");
    if (accepted) best = std::move(here);
  }
  demand(best.has_value() || fitter.stopped(), "one level of detail is fitted");
  if (best) {
    // Once more, and again while it still helps.
    for (int i = 0; i < 3 && corrections > 0; ++i) {
      const double before = best->chi_square;
      fitter.refine(*best, 1, 1e-5);
      if (best->chi_square > 0.99 * before) break;
    }
    fitter.final_solve(*best);
    for (HydroLevel& level : result.levels) level.chosen = level.detail == best->detail;
    report_hydro_fit(data, options, best->layout, best->features, fitter.problem(), fitter.last, result);
  }
  result.status = fitter.stopped() ? "stopped" : best && best->converged ? "converged" : "not_converged";
  result.reason = fitter.stopped() ? "stopped on request" : fitter.last.reason;
  result.iterations = fitter.iterations;
  result.evaluations = fitter.problem().evaluations;
  result.cost_history = fitter.history;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace kdyn
