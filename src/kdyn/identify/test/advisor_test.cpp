// SPDX-License-Identifier: Apache-2.0
// Oracle for the advice: make the measurement it proposes and fit again; the intervals must shrink as it said.
#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::inline identify {
namespace {

void measure(const Elastomer<double>& law, double f, double a, RandomStream& noise, StiffnessMap& map) {
  const auto r = steady_response(law, f, a, 0.0);
  MapRow row;
  row.frequency_hz = f;
  row.amplitude = a;
  row.k_dyn = r.k_dyn * (1.0 + 0.005 * noise.normal());
  row.loss_angle = r.loss_angle + 0.0015 * noise.normal();
  map.rows.push_back(row);
}

double std_of(const ElastomerFitResult& fit, const std::string& name) {
  for (const ParameterEstimate& p : fit.parameters)
    if (p.name == name) return p.std / p.value;
  return std::nan("");
}

TEST(Advisor, ItsSweepShrinksTheIntervalsAsItSays) {
  const Elastomer<double> truth;
  RandomStream noise(21);
  ElastomerData data;
  for (const double a : {4e-4, 6e-4, 8e-4})
    for (const double f : {4.0, 6.0, 9.0, 13.0, 20.0, 30.0}) measure(truth, f, a, noise, data.map);
  ElastomerFitOptions options;
  options.noise_k_dyn_rel = 0.005;
  options.noise_loss_angle_deg = 0.0015 * 180.0 / M_PI;
  const ElastomerFitResult before = fit_elastomer(data, options);
  ASSERT_EQ(before.status, "converged");
  const Advice* sweep = nullptr;
  for (const Advice& a : before.advice)
    if (a.kind == "sweep") sweep = &a;
  ASSERT_NE(sweep, nullptr);
  for (int i = 0; i < 9; ++i) measure(truth, 2.0 * std::pow(30.0, i / 8.0), sweep->amplitude, noise, data.map);
  const ElastomerFitResult after = fit_elastomer(data, options);
  ASSERT_EQ(after.status, "converged");
  // The forecast is linear at the first estimate; a third of the gain is allowed for the move of the estimate.
  const double gain = 1.0 - std_of(after, sweep->best_for) / std_of(before, sweep->best_for);
  EXPECT_NEAR(gain, sweep->best_gain, 0.33 * sweep->best_gain) << sweep->words;
}

TEST(Advisor, AsksForAStaticLoopWhenThereIsNone) {
  const Elastomer<double> truth;
  RandomStream noise(22);
  ElastomerData data;
  for (const double a : {1e-4, 3e-4, 1e-3})
    for (const double f : {1.0, 3.0, 10.0, 30.0}) measure(truth, f, a, noise, data.map);
  const ElastomerFitResult fit = fit_elastomer(data, {});
  bool has_static = false;
  for (const Advice& a : fit.advice) has_static = has_static || a.kind == "static";
  EXPECT_TRUE(has_static);
}

}  // namespace
}  // namespace kdyn::inline identify
