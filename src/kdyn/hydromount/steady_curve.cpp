// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/steady_curve.hpp"

#include <limits>
#include <numbers>

#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/hydromount/steady_state.hpp"

namespace kdyn::inline hydromount {
namespace {

bool usable(const SteadyState& state) { return state.converged && state.stable; }

}  // namespace

std::vector<std::complex<double>> steady_curve(const HydroMount<double>& law, double u0,
                                               const std::vector<SweepPoint>& sweep) {
  SteadyOptions options;
  options.odd_harmonics = 3;
  options.tolerance = 1e-5;
  options.max_iterations = 20;
  options.loop = false;
  const HarmonicBalance balance(law, u0, options);
  const FirstHarmonic<double> first(law, u0);
  const bool folds = law.decoupler_clearance || law.pressure_limit;  // nothing else makes them
  const auto roots_of = [&](std::size_t i) {
    return chamber_amplitudes(first, 2.0 * std::numbers::pi * sweep[i].frequency_hz, sweep[i].amplitude);
  };
  const auto smallest = [&](std::size_t i, const std::vector<double>& roots) {
    SteadyState state;
    for (const double r : roots) {
      state = balance.solve_from(sweep[i].frequency_hz, sweep[i].amplitude, r);
      if (usable(state)) break;
    }
    return state;
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::complex<double>> out(sweep.size(), {none, none});
  SteadyState before;
  bool searched_before = false;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const bool search = i == 0 || (folds && (i % 4 == 0 || i + 1 == sweep.size())) || !usable(before);
    std::vector<double> roots;
    if (search) roots = roots_of(i);
    SteadyState now;
    if (roots.size() <= 1 && usable(before))
      now = balance.solve(sweep[i].frequency_hz, sweep[i].amplitude, before.harmonics);
    if (!usable(now)) now = smallest(i, roots.empty() ? roots_of(i) : roots);
    if (usable(now)) out[i] = now.stiffness;
    // A fold begins or ends beside the point before, which was not searched.
    if (roots.size() > 1 && i > 0 && !searched_before)
      if (const SteadyState again = smallest(i - 1, roots_of(i - 1)); usable(again)) out[i - 1] = again.stiffness;
    // What follows a fold is looked at on its own.
    before = roots.size() > 1 ? SteadyState() : std::move(now);
    searched_before = search;
  }
  return out;
}

}  // namespace kdyn::inline hydromount
