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
#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/identify/internal/hydromount_fit_result.hpp"
#include "kdyn/identify/internal/hydromount_fitter.hpp"
#include "kdyn/identify/internal/start_values.hpp"
#include "kdyn/identify/map_noise.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/numerics/levels.hpp"

namespace kdyn::inline identify {
namespace {

using namespace identify;

// The preload whose rows are fitted; the others are named.
double chosen_preload(const ElastomerData& data, const HydroMountFitOptions& options, std::vector<Finding>& findings) {
  std::map<long, std::size_t> count;  // preloads within 1 N are one
  for (const MapRow& row : data.map.rows) ++count[std::lround(row.preload)];
  if (options.preload) {
    if (!count.contains(std::lround(*options.preload)))
      throw_bad_input("preload", fmt::format("the map has no rows at {:g} N", *options.preload),
                      "take a preload of the map");
    return *options.preload;
  }
  auto best = count.begin();
  for (auto it = count.begin(); it != count.end(); ++it)
    if (it->second > best->second) best = it;
  if (count.size() > 1)
    findings.push_back({Severity::warning, "preloads_left_out", "preload",
                        fmt::format("the map has {} preloads; the rows at {} N are fitted", count.size(), best->first),
                        "fit each preload with --preload and compare the chamber stiffness"});
  return static_cast<double>(best->first);
}

// Rows at the temperature with most of them; a mount of several temperatures is not one mount.
std::vector<bool> at_one_temperature(const StiffnessMap& map, std::vector<Finding>& findings) {
  const std::vector<double> levels = temperature_levels(map);
  std::vector<bool> taken(map.rows.size(), true);
  if (levels.size() < 2) return taken;
  std::vector<std::size_t> count(levels.size(), 0);
  for (const MapRow& row : map.rows)
    if (std::isfinite(row.temperature_c)) ++count[nearest_level(levels, row.temperature_c)];
  const auto most = static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin());
  std::size_t left = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    taken[i] = std::isfinite(map.rows[i].temperature_c) && nearest_level(levels, map.rows[i].temperature_c) == most;
    left += !taken[i];
  }
  findings.push_back({Severity::warning, "temperatures_left_out", "temperature_c",
                      fmt::format("the map has {} temperatures; the rows at {:g} degC are fitted, {} rows take no part",
                                  levels.size(), levels[most], left),
                      "give one file per temperature and compare the results"});
  return taken;
}

HydroProblem make_problem(const ElastomerData& data, const HydroMountFitOptions& options, HydroMountFitResult& result) {
  HydroProblem problem;
  result.preload = chosen_preload(data, options, result.findings);
  result.row_used.assign(data.map.rows.size(), false);
  result.at_fold.assign(data.map.rows.size(), false);
  const std::vector<bool> taken = at_one_temperature(data.map, result.findings);
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

// Damping of another exponent that resists as much at the velocities of the rows: least squares of the relative error,
// neither part negative.
void convert_damping(HydroLayout& layout, const std::vector<HydroRow>& rows, double exponent) {
  const HydroMount<double> law = make_hydro(layout);
  const FirstHarmonic<double> balance(law);
  const double d = layout.values[hydro_linear], b = power_damping_factor(layout.exponent) * layout.values[hydro_power];
  std::vector<double> speeds, resistances;
  for (const HydroRow& row : rows) {
    if (!(row.anchor > 0.0)) continue;
    // F = H a = C u2, hence the fluid moves by a |1 - H/C|.
    const auto H = balance.at_chamber_amplitude(row.anchor, row.omega).stiffness,
               C = balance.chamber_stiffness(row.anchor, row.omega);
    const Complex<double> x = Complex<double>{1.0, 0.0} - H / C;
    speeds.push_back(row.omega * row.amplitude * abs(x));
    resistances.push_back(d + b * std::pow(speeds.back(), layout.exponent - 1.0));
  }
  fit_damping(speeds, resistances, exponent, layout.values[hydro_linear], layout.values[hydro_power]);
  layout.exponent = exponent;
}

// A level must lower the squares by 3 % and by 25 to be believed  [identify E33].
bool earns(double with, double without) { return with < 0.97 * without - 25.0; }

// [identify E33] Level after level, each with the exponents that can still win; what a level cannot explain by another
// start is left to the next.
class HydroSearch {
 public:
  HydroSearch(HydroFitter& fitter, const HydroMountFitOptions& options, std::optional<double> secant,
              Progress& progress)
      : fitter_(fitter),
        options_(options),
        automatic_(options.detail == HydroDetail::automatic),
        secant_(secant),
        progress_(progress) {
    exponents_ = options.fluid_damping_exponent ? std::vector<double>{*options.fluid_damping_exponent}
                                                : std::vector<double>{2.0, 3.0};
    for (const double n : exponents_) features_[n] = hydro_features(fitter.problem.rows, n, secant);
  }

  std::optional<HydroFitted> best;
  std::vector<HydroLevel> levels;
  bool exponent_open = false;  // 2 and 3 describe the data equally well

  void run() {
    const std::vector<double> all = exponents_;
    for (const HydroDetail detail : {HydroDetail::springs, HydroDetail::rubber, HydroDetail::decoupler}) {
      if ((!automatic_ && detail > options_.detail) || fitter_.stopped()) break;
      if (options_.detail == HydroDetail::limit && detail == HydroDetail::decoupler) break;
      progress_.report(0.1 + 0.15 * static_cast<double>(detail), to_string(detail));
      try_level(detail);
      // Before anything richer is believed a level gets every chance: the other exponent and other starts.
      const bool next_is_clear =
          detail < HydroDetail::decoupler && features_.begin()->second.decoupler_shows && automatic_;
      if (detail == HydroDetail::springs || next_is_clear) continue;
      exponents_ = all;
      // Where stiffness does not rise with amplitude a valve is nearer at hand than a decoupler.
      const double allowed = features_.begin()->second.decoupler_shows ? unexplained : patterned;
      if (detail == HydroDetail::decoupler && automatic_ && residual_pattern(best->rows) > allowed) try_valves();
      if (best->layout.bypass || best->layout.limit) break;
      try_other_starts(detail);
      if (residual_pattern(best->rows) < patterned) exponents_ = {best->layout.exponent};
    }
    if (options_.detail >= HydroDetail::bypass && !fitter_.stopped()) try_valves();
  }

 private:
  static constexpr double patterned = 0.2;    // three times what noise of 240 rows gives
  static constexpr double unexplained = 0.4;  // beyond this physics is missing

  HydroLayout start_of(HydroDetail detail, double n) const {
    const HydroFeatures& features = features_.at(n);
    const auto before = simpler_.find(n);
    HydroLayout layout;
    layout.exponent = n;
    layout.rubber = detail >= HydroDetail::rubber;
    layout.decoupler = detail == HydroDetail::decoupler;
    layout.values = features.values;
    // A simpler level that had to make up for a missing decoupler is no start.
    if (before != simpler_.end() && !(detail == HydroDetail::decoupler && features.decoupler_shows)) {
      HydroLayout known = before->second.layout;
      // Where another exponent came far closer, this one got lost on its way: it starts from there.
      for (const auto& [m, fitted] : simpler_)
        if (fitted.chi_square < 0.5 * before->second.chi_square && fitted.layout.rubber == known.rubber) {
          known = fitted.layout;
          convert_damping(known, fitted.rows, n);
        }
      layout.values = known.values;
      // Friction takes part of what was a spring.
      if (layout.rubber && !known.rubber)
        for (const int slot : {hydro_main_k, hydro_main_h, hydro_main_rho})
          layout.values[static_cast<std::size_t>(slot)] = features.values[static_cast<std::size_t>(slot)];
    }
    return layout;
  }

  void try_level(HydroDetail detail) {
    // Every exponent on a part of the rows; on all of them, and with the correction, which costs most, those that can
    // still win. Where a decoupler shows, the levels without one only tell how much it gains: one exponent is enough.
    const bool glance =
        detail < HydroDetail::decoupler && features_.at(exponents_.front()).decoupler_shows && automatic_;
    std::vector<double> contenders = glance ? std::vector<double>{exponents_.front()} : exponents_;
    const auto drop_losers = [&](double factor) {
      double lowest = std::numeric_limits<double>::infinity();
      for (const double n : contenders) lowest = std::min(lowest, simpler_[n].chi_square);
      std::erase_if(contenders, [&](double n) { return simpler_[n].chi_square > factor * lowest + 25.0; });
      return lowest;
    };
    for (const double n : contenders) simpler_[n] = fitter_.begin(detail, start_of(detail, n), features_.at(n), glance);
    drop_losers(3.0);
    for (const double n : contenders) fitter_.settle(simpler_[n], glance);
    const double lowest = drop_losers(1.5);
    // A misfit of more than three sigma is not one of missing harmonics: a richer level has to explain it.
    const bool rough = automatic_ && detail < HydroDetail::decoupler &&
                       lowest > 9.0 * 2.0 * static_cast<double>(fitter_.problem.rows.size());
    const bool hopeless = automatic_ && best && lowest > 0.97 * lowest_before_;
    std::optional<HydroFitted> here;
    bool open = false;
    for (const double n : contenders) {
      HydroFitted& fitted = simpler_[n];
      if (!hopeless && !rough) fitter_.refine(fitted, std::max(1, static_cast<int>(options_.corrections) - 1), 1e-4);
      // The square law of turbulent flow is left only for something better.
      constexpr double clearly = 6.0;
      if (here) open = std::abs(fitted.chi_square - here->chi_square) < clearly;
      if (!here || fitted.chi_square < here->chi_square - clearly) here = fitted;
    }
    lowest_before_ = std::min(lowest, lowest_before_);
    // A level that describes the data settles the exponent.
    if (!rough && !hopeless && !glance)
      std::erase_if(exponents_, [&](double n) {
        return std::find(contenders.begin(), contenders.end(), n) == contenders.end() ||
               simpler_[n].chi_square > 1.3 * here->chi_square + 25.0;
      });
    if (hopeless) {
      describe(*here, false, "first harmonics alone show no gain");
      return;
    }
    const bool accepted = !best || earns(here->chi_square, best->chi_square) || !automatic_;
    describe(*here, accepted,
             !accepted ? "does not lower the misfit enough"
             : glance  ? "only looked at: a decoupler shows"
                       : "");
    if (!accepted) return;
    best = std::move(here);
    exponent_open = open;
  }

  // A bypass or a pressure limit, on rubber alone and on what was accepted, from what small amplitudes say, which open
  // neither, and from the values found so far.
  void try_valves() {
    const HydroFitted before = *best;
    const double n = before.layout.exponent;
    std::vector<std::size_t> level;
    const std::vector<double> amplitudes = amplitude_levels(fitter_.problem.rows, level);
    std::vector<HydroRow> small;
    for (std::size_t i = 0; i < level.size(); ++i)
      if (2 * level[i] < amplitudes.size()) small.push_back(fitter_.problem.rows[i]);
    HydroFeatures features = features_.at(n);
    HydroLayout plain;
    plain.exponent = n;
    plain.rubber = true;
    plain.values = hydro_features(small.size() >= 12 ? small : fitter_.problem.rows, n, secant_).values;
    for (const int slot : {hydro_limit, hydro_limit_width, hydro_bypass, hydro_threshold})
      plain.values[static_cast<std::size_t>(slot)] = features.values[static_cast<std::size_t>(slot)];
    std::vector<HydroLayout> bases = {plain};
    if (before.layout.rubber) bases.push_back(before.layout);
    std::optional<HydroFitted> found;
    for (const HydroDetail detail : {HydroDetail::limit, HydroDetail::bypass}) {
      if (!automatic_ && detail != options_.detail) continue;
      for (HydroLayout layout : bases)
        for (const double share : {0.4, 1.2}) {
          if (fitter_.stopped()) return;
          layout.limit = detail == HydroDetail::limit;
          layout.bypass = detail == HydroDetail::bypass;
          const int slot = layout.limit ? hydro_limit : hydro_threshold;
          layout.values[static_cast<std::size_t>(slot)] = share * features.values[static_cast<std::size_t>(slot)];
          HydroFitted fitted = fitter_.begin(detail, layout, features, false);
          if (!found || fitted.chi_square < found->chi_square) found = std::move(fitted);
        }
    }
    fitter_.settle(*found, false);
    fitter_.refine(*found, 1, 1e-4);
    polish(*found);
    // The other exponent from there.
    for (const double m : exponents_) {
      if (m == n || residual_pattern(found->rows) < patterned) continue;
      HydroLayout layout = found->layout;
      convert_damping(layout, found->rows, m);
      HydroFitted other = fitter_.begin(found->detail, layout, features_.at(m), false);
      fitter_.settle(other, false);
      fitter_.refine(other, 1, 1e-4);
      polish(other);
      if (other.chi_square < found->chi_square) found = std::move(other);
    }
    const bool simpler = found->layout.free.size() <= before.layout.free.size();
    const bool accepted = !automatic_ || earns(found->chi_square, before.chi_square) ||
                          (simpler && found->chi_square < before.chi_square);
    describe(*found, accepted, accepted ? "" : "does not lower the misfit enough");
    if (!accepted) return;
    best = std::move(found);
    exponent_open = false;
  }

  // Where the chamber's motion is far from a sine one correction is not enough.
  void polish(HydroFitted& fitted) {
    for (int i = 0; i < 4 && residual_pattern(fitted.rows) > patterned; ++i) {
      const double before = fitted.chi_square;
      fitter_.refine(fitted, 1, 1e-4);
      if (fitted.chi_square > 0.95 * before) break;
    }
  }

  // The misfit of the best level has a pattern: other exponents from its own values, then other places of the
  // decoupler.
  void try_other_starts(HydroDetail detail) {
    polish(*best);
    std::vector<HydroLayout> starts;
    for (const double n : exponents_)
      if (n != best->layout.exponent) {
        starts.push_back(best->layout);
        convert_damping(starts.back(), best->rows, n);
      }
    if (detail == HydroDetail::decoupler) {
      const double a_min = smallest_amplitude();
      for (const double factor : {0.0, 0.5, 2.0})
        for (const double n : exponents_) {
          HydroLayout layout = start_of(detail, n);
          layout.values = features_.at(n).values;
          // 0: a clearance below the smallest amplitude, which no plateau shows.
          layout.values[hydro_clearance] = factor > 0.0 ? factor * layout.values[hydro_clearance] : 0.3 * a_min;
          if (factor == 0.0) layout.values[hydro_residual] = 0.4;
          starts.push_back(std::move(layout));
        }
    }
    for (const HydroLayout& start : starts) {
      if (fitter_.stopped() || residual_pattern(best->rows) < patterned) return;
      HydroFitted fitted = fitter_.begin(start.decoupler ? HydroDetail::decoupler : HydroDetail::rubber, start,
                                         features_.at(start.exponent), false);
      fitter_.settle(fitted, false);
      if (fitted.chi_square > 2.0 * best->chi_square) continue;
      fitter_.refine(fitted, 1, 1e-4);
      polish(fitted);
      const bool same_level = fitted.detail == best->detail;
      if (!(same_level ? fitted.chi_square < 0.99 * best->chi_square : earns(fitted.chi_square, best->chi_square)))
        continue;
      std::erase_if(levels, [&](const HydroLevel& level) { return level.detail == fitted.detail; });
      describe(fitted, true, "");
      simpler_[fitted.layout.exponent] = fitted;
      exponent_open = false;
      best = std::move(fitted);
    }
  }

  double smallest_amplitude() const {
    double a = std::numeric_limits<double>::infinity();
    for (const HydroRow& row : fitter_.problem.rows) a = std::min(a, row.amplitude);
    return a;
  }

  void describe(const HydroFitted& fitted, bool accepted, std::string note) {
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
    levels.push_back(std::move(level));
  }

  HydroFitter& fitter_;
  const HydroMountFitOptions& options_;
  bool automatic_;
  std::optional<double> secant_;
  Progress& progress_;
  std::vector<double> exponents_;
  std::map<double, HydroFeatures> features_;
  std::map<double, HydroFitted> simpler_;                           // of each exponent
  double lowest_before_ = std::numeric_limits<double>::infinity();  // first-harmonic misfit of the simpler levels
};

// The gate of all identifications, and what was used.
void judge_hydro(const ElastomerData& data, const HydroMountFitOptions& options, HydroMountFitResult& result) {
  std::vector<ModelRow> model;
  std::vector<bool> judged = result.row_used;
  for (std::size_t i = 0; i < result.map_model.size(); ++i) {
    model.push_back({result.map_model[i].k_dyn, result.map_model[i].loss_angle});
    judged[i] = judged[i] && !result.at_fold[i];  // a rig shows either state there
  }
  std::vector<GateChannel> channels =
      map_channels(data.map, judged, model,
                   {options.noise_k_dyn_rel.value_or(0.0), options.noise_loss_angle_deg.value_or(0.0) * degree});
  for (std::size_t i = 0; i < data.loops.size(); ++i)
    channels.push_back(force_channel("static loop", AxisKind::translation, data.loops[i].displacement,
                                     data.loops[i].force, result.loop_model[i]));
  std::vector<Finding> wide;
  withhold_wide_intervals(result.parameters, wide);
  const GateVerdict verdict = judge_fit(channels);
  apply_gate(verdict,
             "gas in the fluid or a second channel is not in this model; check also that all rows "
             "are of one part, preload and "
             "temperature",
             result.status, result.reason, result.parameters, result.findings);
  if (!verdict.poor) result.findings.insert(result.findings.end(), wide.begin(), wide.end());
  const auto rows = std::count(result.row_used.begin(), result.row_used.end(), true);
  std::vector<std::string> unused;
  if (static_cast<std::size_t>(rows) < data.map.rows.size())
    unused.push_back(fmt::format("{} map rows", data.map.rows.size() - static_cast<std::size_t>(rows)));
  if (!data.series.empty())
    unused.push_back(data.series.size() == 1 ? "the transient" : fmt::format("{} transients", data.series.size()));
  result.findings.push_back(
      {data.series.empty() ? Severity::note : Severity::warning, "data_used", "data",
       fmt::format("used: {} map rows{}; not used: {}", rows, data.loops.empty() ? "" : ", the static loop",
                   unused.empty() ? "nothing" : join(unused, ", ")),
       data.series.empty() ? "columns and files that could not be read are named by findings of their own"
                           : "compare the model with the transient by kdyn validate"});
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
  HydroFitter fitter(make_problem(data, options, result), options, progress);
  std::optional<double> secant;
  if (!data.loops.empty()) secant = secant_slope(data.loops.front().displacement, data.loops.front().force);
  HydroSearch search(fitter, options, secant, progress);
  search.run();
  std::optional<HydroFitted>& best = search.best;
  result.levels = std::move(search.levels);
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
    for (HydroLevel& level : result.levels) level.chosen = level.detail == best->detail;
    report_hydro_fit(data, options, best->layout, best->features, fitter.problem, fitter.last, result);
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
