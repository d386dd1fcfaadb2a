// SPDX-License-Identifier: Apache-2.0
// Hydro mounts from more than one map: transients, several preloads, maps by the loop criterion. Oracle: the law that
// made the data, in the time domain and by harmonic balance with nine odd harmonics.
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/hydromount/steady_state.hpp"
#include "kdyn/identify/hydromount_fit.hpp"

namespace kdyn {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

// Effective parameters: areas of 1 m^2; resonance at 12 Hz.
HydroMount<double> plain_mount() {
  HydroMount<double> law;
  for (Elastomer<double>* e : {&law.main_rubber, &law.chamber_rubber}) e->lambda = e->rdl = e->rho = 0.0;
  law.main_rubber.static_stiffness = 3e5;
  law.chamber_rubber.static_stiffness = 6e5;
  law.chamber_area = law.channel_area = law.fluid_density = 1.0;
  const double omega = 2.0 * std::numbers::pi * 12.0;
  law.channel_length = 6e5 / (omega * omega);
  law.fluid_damping_linear = 0.2 * law.channel_length * omega;
  law.fluid_damping_nonlinear = 0.5 * law.channel_length / 1e-3;
  return law;
}

StiffnessMap map_of(const HydroMount<double>& law, double preload, const std::vector<double>& amplitudes, bool loop,
                    std::uint64_t seed) {
  StiffnessMap map;
  RandomStream noise(seed, 9);
  SteadyOptions options;
  options.loop = loop;
  const HarmonicBalance balance(law, static_displacement(law, preload), options);
  for (const double a : amplitudes)
    for (int i = 0; i < 14; ++i) {
      const double f = 2.0 * std::pow(20.0, i / 13.0);
      const SteadyResponse r = balance.solve(f, a).response;
      map.rows.push_back({f, a, preload, (loop ? r.k_dyn_loop : r.k_dyn) * (1.0 + 0.005 * noise.normal()),
                          (loop ? r.loss_angle_loop : r.loss_angle) + 0.2 * degree * noise.normal(), 0.0, 0});
    }
  return map;
}

const ParameterEstimate& parameter(const HydroMountFitResult& fit, const std::string& name) {
  for (const ParameterEstimate& p : fit.parameters)
    if (p.name == name) return p;
  throw std::runtime_error(name);
}

TEST(HydroRecords, ATransientShowsThePressureLimitThatTheMapDoesNotReach) {
  HydroMount<double> law = plain_mount();
  law.pressure_limit = 250.0;
  law.pressure_limit_smoothing = 12.0;
  ElastomerData data;
  data.map = map_of(law, 0.0, {5e-5, 1e-4}, false, 1);
  BenchSeries series;
  RandomStream noise(1, 2);
  for (int i = 0; i < 1500; ++i) {
    const double t = 1e-3 * i;
    series.time.push_back(t);
    series.displacement.push_back((1.0 - std::exp(-t / 0.05)) *
                                  (9e-4 * std::sin(24.0 * t) + 6e-4 * std::sin(70.0 * t + 0.4)));
  }
  series.force = simulate(*make_mount(law), series.time, series.displacement);
  for (double& f : series.force) f += 3.0 * noise.normal();
  data.series.push_back(series);
  const HydroMountFitResult fit = fit_hydromount(data, {});
  EXPECT_EQ(fit.status, "converged") << fit.reason;
  ASSERT_TRUE(fit.law.pressure_limit.has_value());
  EXPECT_FALSE(fit.law.bypass_area.has_value());
  EXPECT_NEAR(parameter(fit, "pressure_limit_force").value, 250.0, 0.05 * 250.0);
  ASSERT_TRUE(fit.rms_transient.has_value());
  EXPECT_LT(*fit.rms_transient, 2.0 * 3.0);  // noise is 3 N
  // Left for validation it is not used, and said so.
  HydroMountFitOptions alone;
  alone.use_transients = false;
  const HydroMountFitResult map_only = fit_hydromount(data, alone);
  EXPECT_FALSE(map_only.law.pressure_limit.has_value());
  EXPECT_FALSE(map_only.rms_transient.has_value());
}

TEST(HydroRecords, SeveralPreloadsGiveCurvesOverPreload) {
  HydroMount<double> law = plain_mount();
  // The main rubber stiffens from 300 to 390 N/mm at 600 N, the chamber by a fifth.
  for (int i = -300; i <= 600; ++i) {
    const double u = 1e-5 * i;
    law.main_rubber.curve_points.emplace_back(u, 3e5 * u + 1e10 * u * u * u);
  }
  law.chamber_preload_curve = {{0.0, 1.0}, {600.0, 1.2}};
  prepare(law, "truth");
  ElastomerData data;
  data.map = map_of(law, 0.0, {1e-4, 2e-4, 4e-4}, false, 3);
  const StiffnessMap loaded = map_of(law, 600.0, {1e-4, 2e-4, 4e-4}, false, 4);
  data.map.rows.insert(data.map.rows.end(), loaded.rows.begin(), loaded.rows.end());
  const HydroMountFitResult fit = fit_hydromount(data, {});
  EXPECT_EQ(fit.status, "converged") << fit.reason;
  const bool low_first = std::abs(fit.preload) < 1.0;
  const double truth = law.main_rubber.stiffness_at(static_displacement(law, low_first ? 600.0 : 0.0));
  EXPECT_NEAR(parameter(fit, "main_stiffness_2").value / truth, 1.0, 0.02);  // noise 0.5 % of 42 rows, model 1 %
  for (const double preload : {0.0, 600.0}) {
    const HarmonicBalance model(fit.law, static_displacement(fit.law, preload)),
        bench(law, static_displacement(law, preload));
    for (const double f : {4.0, 10.0, 30.0})
      EXPECT_NEAR(std::abs(model.solve(f, 2e-4).stiffness / bench.solve(f, 2e-4).stiffness), 1.0, 0.02)
          << preload << " " << f;
  }
  EXPECT_TRUE(std::all_of(fit.row_used.begin(), fit.row_used.end(), [](bool used) { return used; }));
}

TEST(HydroRecords, LoopCriterionIsComparedWithLoops) {
  HydroMount<double> law = plain_mount();
  law.decoupler_clearance = 1.5e-4;
  law.decoupler_residual_slope = 0.2;
  ElastomerData data;
  data.map = map_of(law, 0.0, {1e-4, 2e-4, 5e-4, 1e-3}, true, 5);
  HydroMountFitOptions options;
  options.criterion = Criterion::loop;
  const HydroMountFitResult fit = fit_hydromount(data, options);
  EXPECT_EQ(fit.status, "converged") << fit.reason;
  EXPECT_NEAR(parameter(fit, "chamber_stiffness").value / 6e5, 1.0, 0.02);
  EXPECT_NEAR(parameter(fit, "decoupler_clearance").value / 1.5e-4, 1.0, 0.03);
  EXPECT_LT(fit.rms_k_dyn_rel, 0.01);  // twice the noise
  ASSERT_FALSE(fit.advice.empty());
  EXPECT_GT(fit.advice.front().gain, 0.0);
  EXPECT_LT(fit.advice.front().gain, 1.0);
}

}  // namespace
}  // namespace kdyn
