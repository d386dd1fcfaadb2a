// SPDX-License-Identifier: Apache-2.0
// Bench data of known mounts for the tests of identification.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::test {

inline constexpr double one_degree = std::numbers::pi / 180.0;

// Not the law's defaults, so that a parameter left at its default is noticed.
inline Elastomer<double> truth_law(FrictionLaw law = FrictionLaw::masing, bool limited = false,
                                   bool progressive = false) {
  Elastomer<double> truth;
  truth.law = law;
  truth.static_stiffness = 250e3;
  truth.alpha = 0.13;
  truth.beta = 0.085;
  truth.gamma = 0.0042;
  truth.lambda = 0.31;
  truth.rdl = 7.4e-5;
  truth.rho = 5300.0;
  if (limited) truth.ymax = 2.1e-4;
  if (progressive)
    for (int i = -60; i <= 60; ++i) {
      const double u = 5e-3 * i / 60.0;
      truth.curve_points.emplace_back(u, 250e3 * u + 4e9 * u * u * u);
    }
  prepare(truth, "truth");
  return truth;
}

inline std::vector<double> fit_frequencies() { return {1, 2, 4, 7, 10, 15, 20, 30, 40, 50}; }
inline std::vector<double> fit_amplitudes() { return {5e-5, 1e-4, 2e-4, 5e-4, 1e-3}; }

// A map by the closed forms: exact for the law, whatever the rig does.
inline StiffnessMap exact_map(const Elastomer<double>& truth, Criterion criterion = Criterion::harmonic,
                              const std::vector<double>& preloads = {0.0}) {
  StiffnessMap map;
  map.source.path = "map.csv";
  for (const double preload : preloads)
    for (const double a : fit_amplitudes())
      for (const double f : fit_frequencies()) {
        const SteadyResponse r = steady_response(truth, f, a, static_displacement(truth, preload));
        MapRow row;
        row.frequency_hz = f;
        row.amplitude = a;
        row.preload = preload;
        row.k_dyn = criterion == Criterion::loop ? r.k_dyn_loop : r.k_dyn;
        row.loss_angle = criterion == Criterion::loop ? r.loss_angle_loop : r.loss_angle;
        row.line = map.rows.size() + 2;
        map.rows.push_back(row);
      }
  return map;
}

// Slow enough that the damper does not show: 0.06 mm/min.
inline StaticLoop rig_loop(const Elastomer<double>& truth, double stroke = 3e-3) {
  RigOptions options;
  options.program = RigProgram::static_loop;
  options.static_amplitude_m = stroke;
  options.static_rate_m_per_s = 1e-6;
  options.static_points = 400;
  StaticLoop loop = run_rig(*make_mount(truth), options).static_loop;
  loop.source.path = "static.csv";
  return loop;
}

inline BenchSeries rig_series(const Elastomer<double>& truth) {
  RigOptions options;
  options.program = RigProgram::transient;
  options.formula = "(1-exp(-t/0.05))*(7e-4*sin(2*pi*2.3*t)+3e-4*sin(2*pi*9.1*t+0.4)+1e-4*sin(2*pi*27*t+1.9))";
  options.duration_s = 1.0;
  options.sample_rate_hz = 2000.0;
  BenchSeries series = run_rig(*make_mount(truth), options).series;
  series.source.path = "series.csv";
  return series;
}

inline void add_noise(StiffnessMap& map, double k_rel, double angle_deg, std::uint64_t seed) {
  RandomStream random(seed);
  for (MapRow& row : map.rows) {
    row.k_dyn *= 1.0 + k_rel * random.normal();
    row.loss_angle += angle_deg * one_degree * random.normal();
  }
}

inline const ParameterEstimate& parameter_of(const ElastomerFitResult& fit, const std::string& name) {
  for (const ParameterEstimate& p : fit.parameters)
    if (p.name == name) return p;
  throw std::runtime_error("no parameter " + name);
}

inline bool has_finding(const ElastomerFitResult& fit, const std::string& code) {
  for (const Finding& f : fit.findings)
    if (f.code == code) return true;
  return false;
}

}  // namespace kdyn::test
