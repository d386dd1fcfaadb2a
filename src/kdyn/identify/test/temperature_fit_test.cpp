// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/temperature_fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/elastomer/elastomer_model.hpp"

namespace kdyn::inline identify {
namespace {

StiffnessMap map_at(const Elastomer<double>& law, const std::vector<double>& temperatures) {
  StiffnessMap map;
  for (const double t : temperatures) {
    const auto mount = make_mount(law)->at_temperature(t);
    for (const double a : {1e-4, 3e-4, 1e-3})
      for (const double f : {1.0, 5.0, 20.0, 50.0}) {
        const auto r = mount->closed_form(f, a, mount->static_displacement(200.0));
        MapRow row;
        row.frequency_hz = f;
        row.amplitude = a;
        row.preload = 200.0;
        row.k_dyn = r->k_dyn;
        row.loss_angle = r->loss_angle;
        row.temperature_c = t + 0.3 * (f > 10.0);  // as measured, not quite constant
        map.rows.push_back(row);
      }
  }
  return map;
}

// Oracle: the factors the map was made with, for a constant spring and for a curve.
TEST(TemperatureFit, FindsTheFactorsOfExactData) {
  for (const bool curved : {false, true}) {
    Elastomer<double> law;
    law.temperature = {{-30.0, 2.1, 2.8, 1.4}, {23.0, 1.0, 1.0, 1.0}, {80.0, 0.8, 0.6, 0.9}};
    if (curved) law.curve_points = {{-4e-3, -4000.0}, {-2e-3, -900.0}, {0.0, 0.0}, {2e-3, 900.0}, {4e-3, 4000.0}};
    prepare(law, "test");
    const StiffnessMap map = map_at(law, {-30.0, 23.0, 80.0});
    const std::vector<double> levels = temperature_levels(map);
    ASSERT_EQ(levels.size(), 3u);
    ASSERT_EQ(reference_level(levels), 1u);
    const auto fitted = fit_temperatures(law, map, levels, 1, Criterion::harmonic, 0.005, 0.002);
    for (const std::size_t i : {0u, 2u}) {
      EXPECT_TRUE(fitted[i].converged);
      EXPECT_NEAR(fitted[i].factors.stiffness / law.temperature[i].stiffness, 1.0, 1e-6);
      EXPECT_NEAR(fitted[i].factors.freq / law.temperature[i].freq, 1.0, 1e-5);
      EXPECT_NEAR(fitted[i].factors.ampl / law.temperature[i].ampl, 1.0, 1e-5);
      EXPECT_GT(fitted[i].parameters[0].upper_95, fitted[i].parameters[0].lower_95);
    }
    EXPECT_TRUE(fitted[1].reference);
  }
}

}  // namespace
}  // namespace kdyn::inline identify
