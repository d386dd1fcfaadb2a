// SPDX-License-Identifier: Apache-2.0
// Hydro mounts measured at several temperatures. Oracle: the factors of the mount that made the data.
#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/hydromount/steady_state.hpp"
#include "kdyn/identify/hydromount_fit.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

HydroMount<double> warm_and_cold_mount() {
  HydroMount<double> law;
  law.main_rubber = law.chamber_rubber = Elastomer<double>{};
  law.main_rubber.static_stiffness = 3.2e5;
  law.chamber_rubber.static_stiffness = 5.6e5;
  law.chamber_area = 4.8e-3, law.channel_area = 6.2e-5, law.channel_length = 0.21, law.fluid_density = 1050.0;
  law.fluid_damping_linear = 0.12, law.fluid_damping_nonlinear = 0.34;
  law.main_rubber.temperature = {{-20.0, 1.6, 1.9, 1.5}, {23.0, 1.0, 1.0, 1.0}, {80.0, 0.8, 0.6, 0.8}};
  law.chamber_rubber.temperature = {{-20.0, 1.4, 1.7, 1.4}, {23.0, 1.0, 1.0, 1.0}, {80.0, 0.85, 0.7, 0.8}};
  law.temperature = {{-20.0, 5.0, 1.2}, {23.0, 1.0, 1.0}, {80.0, 0.4, 0.9}};
  return law;
}

void measure(const HydroMount<double>& law, double temperature_c, RandomStream& random, StiffnessMap& map) {
  const HydroMount<double> here = law_at_temperature(law, temperature_c);
  const HarmonicBalance balance(here);
  for (const double a : {5e-5, 2e-4, 5e-4, 1e-3})
    for (int i = 0; i < 20; ++i) {
      const double f = std::pow(60.0, i / 19.0);
      const SteadyState s = balance.solve(f, a);
      map.rows.push_back({f, a, 0.0, s.response.k_dyn * (1.0 + 0.005 * random.normal()),
                          s.response.loss_angle + 0.25 * degree * random.normal(), 0.0, 0});
      map.rows.back().temperature_c = temperature_c;
    }
}

TEST(HydroMountTemperature, FactorsAreThoseOfTheMount) {
  const HydroMount<double> truth = warm_and_cold_mount();
  ElastomerData data;
  RandomStream random(7);
  for (const double t : {-20.0, 23.0, 80.0}) measure(truth, t, random, data.map);
  const HydroMountFitResult fit = fit_hydromount(data, {});
  EXPECT_EQ(fit.status, "converged") << fit.reason;
  ASSERT_EQ(fit.temperatures.size(), 3u);
  EXPECT_TRUE(fit.temperatures[1].reference);
  for (const std::size_t level : {0u, 2u}) {
    const TemperatureRow &main = truth.main_rubber.temperature[level],
                         &chamber = truth.chamber_rubber.temperature[level];
    const FluidTemperatureRow& fluid = truth.temperature[level];
    const std::map<std::string, double> factors = {{"main_stiffness", main.stiffness},
                                                   {"main_freq", main.freq},
                                                   {"main_ampl", main.ampl},
                                                   {"chamber_stiffness", chamber.stiffness},
                                                   {"chamber_freq", chamber.freq},
                                                   {"chamber_ampl", chamber.ampl},
                                                   {"fluid_damping_linear", fluid.damping_linear},
                                                   {"fluid_damping_nonlinear", fluid.damping_nonlinear}};
    ASSERT_EQ(fit.temperatures[level].parameters.size(), factors.size());
    for (const ParameterEstimate& p : fit.temperatures[level].parameters) {
      // Four standard deviations: one in 16 000 by chance.
      EXPECT_LT(std::abs(std::log(p.value / factors.at(p.name))), 4.0 * p.std / p.value)
          << p.name << " " << p.value << " at " << fit.temperatures[level].temperature_c;
      if (p.name == "main_stiffness" || p.name == "chamber_stiffness") {
        EXPECT_NEAR(p.value / factors.at(p.name), 1.0, 0.03);  // 80 rows of 0.5 %, shared with friction
      }
    }
    EXPECT_LT(fit.temperatures[level].rms_k_dyn_rel, 0.008);
  }
  // The model file carries them: its own response at a temperature is the mount's, between the rows too.
  for (const double t : {-20.0, 50.0, 80.0}) {
    const HydroMount<double> fitted = law_at_temperature(fit.law, t), real = law_at_temperature(truth, t);
    const HarmonicBalance found(fitted), own(real);
    for (const double f : {2.0, 10.0, 20.0, 45.0}) {
      const SteadyResponse a = found.solve(f, 5e-4).response, b = own.solve(f, 5e-4).response;
      EXPECT_NEAR(a.k_dyn / b.k_dyn, 1.0, 0.01) << t << " " << f;
      EXPECT_NEAR(a.loss_angle, b.loss_angle, 0.6 * degree) << t << " " << f;
    }
  }
  ASSERT_TRUE(fit.law.own_temperature().has_value());
  EXPECT_EQ(*fit.law.own_temperature(), 23.0);
}

TEST(HydroMountTemperature, ThinTemperaturesAreNamed) {
  const HydroMount<double> truth = warm_and_cold_mount();
  ElastomerData data;
  RandomStream random(8);
  for (const double t : {23.0, 80.0}) measure(truth, t, random, data.map);
  data.map.rows.resize(80 + 6);
  const HydroMountFitResult fit = fit_hydromount(data, {});
  EXPECT_EQ(fit.temperatures.size(), 1u);
  EXPECT_TRUE(std::any_of(fit.findings.begin(), fit.findings.end(),
                          [](const Finding& f) { return f.code == "temperatures_left_out"; }));
}

}  // namespace
}  // namespace kdyn::inline identify
