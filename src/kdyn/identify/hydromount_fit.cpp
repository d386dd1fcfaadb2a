// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/hydromount_fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/identify/internal/hydromount_fit_result.hpp"
#include "kdyn/identify/internal/hydromount_fitter.hpp"
#include "kdyn/identify/internal/hydromount_gate.hpp"
#include "kdyn/identify/internal/hydromount_preloads.hpp"
#include "kdyn/identify/internal/hydromount_search.hpp"
#include "kdyn/identify/internal/hydromount_temperatures.hpp"
#include "kdyn/identify/internal/hydromount_transient.hpp"
#include "kdyn/identify/internal/start_values.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/numerics/levels.hpp"

namespace kdyn::inline identify {
namespace {

using namespace identify;

// The preload whose rows are fitted; the others are named.
double chosen_preload(const ElastomerData& data, const std::vector<bool>& taken, const HydroMountFitOptions& options,
                      std::vector<Finding>& findings) {
  std::map<long, std::size_t> count;  // preloads within 1 N are one
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i]) ++count[std::lround(data.map.rows[i].preload)];
  if (options.preload) {
    if (!count.contains(std::lround(*options.preload)))
      throw_bad_input("preload", fmt::format("the map has no rows at {:g} N", *options.preload),
                      "take a preload of the map");
    return *options.preload;
  }
  auto best = count.begin();
  for (auto it = count.begin(); it != count.end(); ++it)
    if (it->second > best->second) best = it;
  std::size_t thin = 0;
  for (const auto& [preload, rows] : count) thin += rows < 12;
  if (count.size() > 1 && thin > 0)
    findings.push_back(
        {Severity::warning, "preloads_left_out", "preload",
         fmt::format("at {} of {} preloads the map has fewer than 12 rows: they take no part", thin, count.size()),
         "measure as many points at every preload"});
  return static_cast<double>(best->first);
}

// Rows of the temperature at which the law is identified: the one nearest to 23 degC with enough of them. Rows without
// a temperature among others that have one belong to none.
std::vector<bool> rows_at(const StiffnessMap& map, const std::vector<double>& levels, std::size_t level) {
  std::vector<bool> taken(map.rows.size(), true);
  for (std::size_t i = 0; i < taken.size() && levels.size() > 1; ++i)
    taken[i] = std::isfinite(map.rows[i].temperature_c) && nearest_level(levels, map.rows[i].temperature_c) == level;
  return taken;
}

std::size_t reference_of(const StiffnessMap& map, const std::vector<double>& levels) {
  std::vector<double> enough;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::vector<bool> taken = rows_at(map, levels, i);
    if (std::count(taken.begin(), taken.end(), true) >= 12) enough.push_back(levels[i]);
  }
  if (enough.empty()) return levels.empty() ? 0 : reference_level(levels);
  return nearest_level(levels, enough[reference_level(enough)]);
}

HydroProblem make_problem(const ElastomerData& data, const HydroMountFitOptions& options,
                          const std::vector<bool>& taken, HydroMountFitResult& result) {
  HydroProblem problem;
  result.preload = chosen_preload(data, taken, options, result.findings);
  result.row_used.assign(data.map.rows.size(), false);
  result.at_fold.assign(data.map.rows.size(), false);
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
    const MapRow& row = data.map.rows[i];
    if (!taken[i] || std::abs(row.preload - result.preload) > 1.0 || !(row.k_dyn > 0.0) || !(row.frequency_hz > 0.0) ||
        !(row.amplitude > 0.0))
      continue;
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
    throw_bad_input("data", fmt::format("{} usable rows of a map are too few for a hydro mount", problem.rows.size()),
                    "measure at least 12 points, below and above the resonance");
  // Every third frequency of each amplitude for the first stages.
  std::vector<std::size_t> level;
  const std::vector<double> amplitudes = amplitude_levels(problem.rows, level);
  for (std::size_t a = 0; a < amplitudes.size(); ++a) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < level.size(); ++i)
      if (level[i] == a) members.push_back(i);
    std::sort(members.begin(), members.end(),
              [&](std::size_t x, std::size_t y) { return problem.rows[x].omega < problem.rows[y].omega; });
    for (std::size_t i = 0; i < members.size(); ++i)
      problem.rows[members[i]].coarse = members.size() < 12 || i % 3 == a % 3;
  }
  problem.by_loops = options.criterion == Criterion::loop;
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
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw_bad_input("fix." + name, fmt::format("{} is no parameter of this fit", in_quotes(name)),
                      suggest(name, known));
    if (!(value > 0.0) || !std::isfinite(value))
      throw_bad_input("fix." + name, fmt::format("{:g} is not above 0", value), "give a positive value in SI units");
  }
}

// [identify E35]
void fit_preloads(const ElastomerData& data, const std::vector<bool>& taken, const HydroMountFitOptions& options,
                  const HydroFitted& best, Progress& progress, HydroMountFitResult& result) {
  ElastomerData map;
  map.map = data.map;
  std::vector<HydroAtPreload> all;
  for (const double preload : other_preloads(data.map, taken, result.preload)) {
    if (progress.stop_requested()) break;
    HydroMountFitOptions there = options;
    there.preload = preload;
    HydroMountFitResult unused;
    all.push_back(fit_at_preload(make_problem(map, there, taken, unused), options, best, preload, progress, result));
  }
  if (all.empty()) return;
  extend_to_preloads(std::move(all), result);
  double k = 0.0, angle = 0.0, count = 0.0;
  const bool loop = options.criterion == Criterion::loop;
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
    if (!result.row_used[i]) continue;
    const SteadyResponse& r = result.map_model[i];
    k += std::pow((loop ? r.k_dyn_loop : r.k_dyn) / data.map.rows[i].k_dyn - 1.0, 2);
    angle += std::pow(wrapped((loop ? r.loss_angle_loop : r.loss_angle) - data.map.rows[i].loss_angle), 2);
    count += 1.0;
  }
  result.rms_k_dyn_rel = std::sqrt(k / count), result.rms_loss_angle = std::sqrt(angle / count);
}

// [identify E36]
void fit_temperatures(const ElastomerData& data, const std::vector<double>& levels, std::size_t reference,
                      const HydroMountFitOptions& options, const HydroFitted& best, Progress& progress,
                      HydroMountFitResult& result) {
  ElastomerData map;
  map.map = data.map;
  HydroMountFitOptions here = options;
  here.preload = result.preload;
  std::vector<std::string> left;
  for (std::size_t i = 0; i < levels.size() && !progress.stop_requested(); ++i) {
    const std::vector<bool> taken = rows_at(data.map, levels, i);
    std::size_t rows = 0;
    for (std::size_t k = 0; k < taken.size(); ++k)
      rows += taken[k] && std::abs(data.map.rows[k].preload - result.preload) <= 1.0;
    if (i != reference && rows < 12) {
      left.push_back(fmt::format("{:.4g} degC", levels[i]));
      continue;
    }
    progress.report(0.8, fmt::format("{:.4g} degC", levels[i]));
    HydroMountFitResult unused;
    result.temperatures.push_back(i == reference ? reference_temperature(levels[i], rows)
                                                 : fit_at_temperature(make_problem(map, here, taken, unused), options,
                                                                      best, levels[i], progress, result));
  }
  if (!left.empty())
    result.findings.push_back({Severity::warning, "temperatures_left_out", "temperature_c",
                               fmt::format("at {} the map has fewer than 12 rows of preload {:g} N: they take no part",
                                           join(left, ", "), result.preload),
                               "measure as many points at every temperature"});
  extend_to_temperatures(result);
}

}  // namespace

HydroMountFitResult fit_hydromount(const ElastomerData& data, const HydroMountFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  check_names(options);
  if (data.map.axis == AxisKind::rotation)
    throw_bad_input("data", "a hydro mount is translational", "give a map with displacement and force");
  if (data.map.rows.empty())
    throw_bad_input("data", "a hydro mount needs a dynamic-stiffness map",
                    "add a file with frequency, amplitude, k_dyn and loss_angle");
  HydroMountFitResult result;
  result.criterion = options.criterion;
  const std::vector<double> temperatures = temperature_levels(data.map);
  const std::size_t reference = reference_of(data.map, temperatures);
  const std::vector<bool> taken = rows_at(data.map, temperatures, reference);
  HydroFitter fitter(make_problem(data, options, taken, result), options, progress);
  std::optional<double> secant;
  if (!data.loops.empty()) secant = secant_slope(data.loops.front().displacement, data.loops.front().force);
  HydroSearch search(fitter, options, secant, progress);
  search.run();
  std::optional<HydroFitted>& best = search.best;
  result.levels = search.levels;
  demand(best.has_value() || fitter.stopped(), "one level of detail is fitted");
  if (best) {
    if (search.exponent_open && !options.fluid_damping_exponent)
      result.findings.push_back(
          {Severity::note, "exponent_not_seen", "fluid_damping_exponent",
           "exponents 2 and 3 of the fluid damping describe the data equally well; 2 is taken",
           "give --fluid-damping-exponent when it is known; larger amplitudes at resonance would tell"});
    // Once more, and again while it still helps.
    for (int i = 0; i < 3 && options.corrections > 0; ++i) {
      const double before = best->chi_square;
      fitter.refine(*best, 1, 1e-5);
      if (best->chi_square > 0.99 * before) break;
    }
    fitter.finish(*best);
    const HydroTransients records(options.use_transients ? data.series : std::vector<BenchSeries>());
    std::optional<HydroTransientFit> transients;
    if (!records.empty()) {
      progress.report(0.7, "transients");
      const HydroDetail before = best->detail;
      transients = fit_with_transients(fitter, records, options.detail == HydroDetail::automatic, *best);
      if (records.cut())
        result.findings.push_back({Severity::note, "record_cut", "data",
                                   "of long time records the first 20000 samples are fitted",
                                   "give the part that moves most as a file of its own"});
      if (best->detail != before) {
        search.tell(*best, "shown by the transient");
        result.levels = search.levels;
      }
    }
    for (HydroLevel& level : result.levels) level.chosen = level.detail == best->detail && level.accepted;
    report_hydro_fit(data, options, best->layout, best->features, fitter.problem, fitter.last,
                     transients ? &*transients : nullptr, result);
    if (!options.preload) fit_preloads(data, taken, options, *best, progress, result);
    if (temperatures.size() > 1) fit_temperatures(data, temperatures, reference, options, *best, progress, result);
    const std::unique_ptr<Mount> mount = make_mount(result.law);
    for (std::size_t i = 0; transients && i < data.series.size(); ++i) {
      std::vector<double> force = simulate(*mount, data.series[i].time, data.series[i].displacement);
      double shift = 0.0;
      for (std::size_t k = 0; k < force.size(); ++k)
        shift += (data.series[i].force[k] - force[k]) / static_cast<double>(force.size());
      for (double& f : force) f += shift;
      result.series_model.push_back(std::move(force));
    }
  }
  result.status = fitter.stopped() ? "stopped" : best && best->converged ? "converged" : "not_converged";
  result.reason = fitter.stopped() ? "stopped on request"
                  : result.status == "converged"
                      ? fmt::format("the residuals fall no further after {} iterations", fitter.iterations)
                      : fitter.last.reason;
  if (best) judge_hydro(data, options, result);
  result.iterations = fitter.iterations;
  result.evaluations = fitter.problem.evaluations;
  result.cost_history = fitter.history;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace kdyn::inline identify
