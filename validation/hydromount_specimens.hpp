// SPDX-License-Identifier: Apache-2.0
// Random hydro mounts of six classes with their noise-free maps: resonance 5-30 Hz, damping ratio 0.005-0.4, chamber
// over main stiffness 0.3-6, decoupler clearance 0.01-1 mm; six amplitudes, 40 frequencies, harmonic balance with 9 odd
// harmonics, swept upwards. Pressure limits and bypasses open at 15-60 % of the largest chamber force that the mount
// would have without them. Shared by the validation cases and the benchmark.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "kdyn/base/random.hpp"
#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/hydromount/steady_state.hpp"
#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::validation {

constexpr double degree = std::numbers::pi / 180.0;
inline const std::vector<std::string> hydro_classes = {"plain", "rubber", "partly", "fully"};
inline const std::vector<std::string> hydro_valve_classes = {"limit", "bypass"};
inline const std::vector<double> hydro_amplitudes = {5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3};

struct HydroSpecimen {
  HydroMount<double> law;               // areas of 1 m^2: effective parameters as they are
  std::map<std::string, double> truth;  // by name of the fit
  StiffnessMap clean;
  std::vector<bool> at_fold;  // several steady states: what a rig shows depends on where it came from
};

inline double log_uniform(RandomStream& random, double lower, double upper) {
  return lower * std::exp(random.uniform() * std::log(upper / lower));
}

inline void random_rubber(RandomStream& random, Elastomer<double>& e, double t2, double ratio, const std::string& part,
                          std::map<std::string, double>& truth) {
  e.lambda = 0.3803;
  const double c = log_uniform(random, 5e-4, 3e-3), h = random.uniform(0.2, 0.6),
               rho = log_uniform(random, 2000.0, 8000.0);
  e.gamma = c / e.lambda;
  e.beta = ratio / (1.0 - ratio);
  e.alpha = (1.0 + e.beta) * e.gamma / t2;
  e.rho = rho;
  e.rdl = h / rho;
  truth[part + "_c"] = c;
  truth[part + "_h"] = h;
  truth[part + "_rho"] = rho;
}

// Largest force of chamber and fluid over the amplitudes and frequencies of the map, by first harmonics.
inline double largest_chamber_force(const HydroMount<double>& law) {
  const FirstHarmonic<double> balance(law);
  double largest = 0.0;
  for (const double a : hydro_amplitudes)
    for (int i = 0; i < 40; ++i) {
      const double omega = 2.0 * std::numbers::pi * std::pow(60.0, i / 39.0);
      for (const double r : chamber_amplitudes(balance, omega, a))
        largest = std::max(largest, abs(balance.chamber_stiffness(r, omega)) * r);
    }
  return largest;
}

inline HydroSpecimen make_hydro_specimen(const std::string& kind, std::uint64_t seed) {
  HydroSpecimen s;
  std::vector<std::string> kinds = hydro_classes;
  kinds.insert(kinds.end(), hydro_valve_classes.begin(), hydro_valve_classes.end());
  RandomStream random(seed, static_cast<std::uint64_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin()));
  HydroMount<double>& law = s.law;
  const double k = log_uniform(random, 1.5e5, 1.5e6), cb = k * log_uniform(random, 0.3, 6.0),
               f0 = log_uniform(random, 5.0, 30.0), zeta = log_uniform(random, 0.005, 0.4);
  const double w0 = 2.0 * std::numbers::pi * f0, mass = cb / (w0 * w0), critical = 2.0 * mass * w0;
  const double exponent = random.uniform() < 0.7 ? 2.0 : 3.0;
  // Nonlinear damping: ratio it reaches at a fluid amplitude of 1 mm at resonance.
  const double nonlinear = log_uniform(random, 0.1, 3.0) * critical / std::pow(w0 * 1e-3, exponent - 1.0);
  for (Elastomer<double>* e : {&law.main_rubber, &law.chamber_rubber}) e->lambda = e->rdl = e->rho = 0.0;
  law.main_rubber.static_stiffness = k;
  law.chamber_rubber.static_stiffness = cb;
  if (kind != "plain") {
    const double t2 = log_uniform(random, 0.015, 0.08), ratio = random.uniform(0.05, 0.2);
    random_rubber(random, law.main_rubber, t2, ratio, "main", s.truth);
    random_rubber(random, law.chamber_rubber, t2, ratio, "chamber", s.truth);
    s.truth["t2"] = t2;
    s.truth["t1_over_t2"] = ratio;
  }
  law.chamber_area = law.channel_area = law.fluid_density = 1.0;
  law.channel_length = mass;
  law.fluid_damping_linear = zeta * critical;
  law.fluid_damping_nonlinear = nonlinear;
  law.fluid_damping_exponent = exponent;
  if (kind == "partly" || kind == "fully") {
    law.decoupler_clearance = log_uniform(random, 1e-5, 1e-3);
    law.decoupler_residual_slope = kind == "partly" ? random.uniform(0.15, 0.6) : 0.0;
    s.truth["decoupler_clearance"] = *law.decoupler_clearance;
    if (kind == "partly") s.truth["decoupler_residual_slope"] = law.decoupler_residual_slope;
  }
  if (kind == "limit") {
    const double P = random.uniform(0.15, 0.6) * largest_chamber_force(law);
    law.pressure_limit = P;
    s.truth["pressure_limit_force"] = P;
    s.truth["pressure_limit_width"] = log_uniform(random, 0.02, 0.2);
    law.pressure_limit_smoothing = s.truth["pressure_limit_width"] * P;
  }
  if (kind == "bypass") {
    const double force = largest_chamber_force(law), threshold = random.uniform(0.15, 0.6) * force;
    // At the largest force the orifice takes a tenth to a half of the velocity of a sine of 2 mm at resonance.
    const double coefficient = random.uniform(0.1, 0.5) * w0 * hydro_amplitudes.back() / std::sqrt(force - threshold);
    law.bypass_threshold = threshold;
    law.bypass_area = coefficient / std::sqrt(2.0);
    s.truth["bypass_force"] = threshold;
    s.truth["bypass_coefficient"] = coefficient;
  }
  s.truth["main_stiffness"] = k;
  s.truth["chamber_stiffness"] = cb;
  s.truth["effective_mass"] = mass;
  s.truth["effective_damping_linear"] = law.fluid_damping_linear;
  s.truth["effective_damping_nonlinear"] = nonlinear;

  // Swept upwards as a rig does it: each point starts from the one before; where that state ends, the mount jumps.
  const HarmonicBalance balance(law);
  for (const double a : hydro_amplitudes) {
    SteadyState before;
    for (int i = 0; i < 40; ++i) {
      const double f = 1.0 * std::pow(60.0, i / 39.0);
      const std::vector<SteadyState> all = balance.solve_all(f, a);
      SteadyState now;
      if (before.converged) now = balance.solve(f, a, before.harmonics);
      if (!now.converged || !now.stable)
        for (const SteadyState& state : all)
          if (state.stable) now = state;
      // A state that was carried along may be one that no first harmonic leads to.
      const auto others = std::count_if(all.begin(), all.end(), [&](const SteadyState& state) {
        return std::abs(state.stiffness - now.stiffness) > 1e-6 * std::abs(now.stiffness);
      });
      before = now;
      s.clean.rows.push_back({f, a, 0.0, now.response.k_dyn, now.response.loss_angle, 0.0, 0});
      s.at_fold.push_back(others > 0 || !now.converged);
    }
  }
  return s;
}

// The map as a rig would give it: 1 % of stiffness, 0.5 deg of angle.
inline ElastomerData measured(const HydroSpecimen& specimen, std::uint64_t seed) {
  ElastomerData data;
  data.map = specimen.clean;
  RandomStream noise(seed, 1000);
  for (MapRow& row : data.map.rows) {
    row.k_dyn *= 1.0 + 0.01 * noise.normal();
    row.loss_angle += 0.5 * degree * noise.normal();
  }
  return data;
}

}  // namespace kdyn::validation
