// SPDX-License-Identifier: Apache-2.0
// The search over levels of detail of a hydro mount fit  [identify E33].
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/identify/internal/hydromount_fitter.hpp"

namespace kdyn::inline identify {

// Damping of another exponent that resists as much at the velocities of the rows: least squares of the relative error,
// neither part negative.
inline void convert_damping(HydroLayout& layout, const std::vector<HydroRow>& rows, double exponent) {
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
inline bool earns(double with, double without) { return with < 0.97 * without - 25.0; }

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
      polish(*best);  // before it is said that something is missing
      // Where stiffness does not rise with amplitude a valve is nearer at hand than a decoupler.
      const double allowed = features_.begin()->second.decoupler_shows ? unexplained : patterned;
      if (detail == HydroDetail::decoupler && automatic_ && residual_pattern(best->rows) > allowed) try_valves();
      if (best->layout.bypass || best->layout.limit) break;
      try_other_starts(detail);
      if (residual_pattern(best->rows) < patterned) exponents_ = {best->layout.exponent};
    }
    if (options_.detail >= HydroDetail::bypass && !fitter_.stopped()) try_valves();
  }

  void tell(const HydroFitted& fitted, const std::string& note) { describe(fitted, true, note); }

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
             : glance  ? "not fitted in full: the map shows a decoupler"
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

}  // namespace kdyn::inline identify
