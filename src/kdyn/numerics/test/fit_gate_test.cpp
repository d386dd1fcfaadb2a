// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/fit_gate.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/numerics/scatter.hpp"

namespace kdyn::inline numerics {
namespace {

// A smooth curve with known noise: the scatter is the noise, to the accuracy of a median of 400 values (some 6 %).
TEST(Scatter, FindsTheNoiseOfASmoothCurve) {
  RandomStream random(3);
  Scatter scatter;
  for (int curve = 0; curve < 20; ++curve) {
    std::vector<double> x, y;
    for (int i = 0; i < 24; ++i) {
      x.push_back(0.2 * i);
      y.push_back(std::sin(0.5 * x.back()) + 0.01 * random.normal());
    }
    scatter.add(x, y);
  }
  EXPECT_NEAR(scatter.noise(), 0.01, 0.002);
}

// A cubic without noise has none, on uneven places and in any order.
TEST(Scatter, IsZeroForACubic) {
  Scatter scatter;
  scatter.add({3.0, 0.0, 0.5, 1.7, 2.0, 2.9, 5.0}, {27.0, 0.0, 0.125, 4.913, 8.0, 24.389, 125.0});
  EXPECT_LT(scatter.noise(), 1e-12);
}

TEST(Scatter, ComparesRepeatedPoints) {
  Scatter scatter;
  scatter.add({1.0, 1.0}, {2.0, 2.2});
  EXPECT_EQ(scatter.count(), 2u);
  EXPECT_GT(scatter.noise(), 0.1);
  Scatter nothing;
  nothing.add({1.0}, {2.0});
  EXPECT_EQ(nothing.noise(), 0.0);
}

GateChannel channel(double misfit, double noise) {
  GateChannel c;
  c.name = "stiffness", c.unit = "%", c.factor = 100.0;
  c.residuals.assign(40, misfit);
  c.noise = noise, c.finest = 0.005, c.coarsest = 0.04;
  return c;
}

TEST(FitGate, ComparesMisfitWithNoise) {
  EXPECT_FALSE(judge_fit({channel(0.029, 0.01)}).poor);
  EXPECT_TRUE(judge_fit({channel(0.031, 0.01)}).poor);
  // Exact data ask for no more than a bench repeats to, and data without any order excuse nothing.
  EXPECT_FALSE(judge_fit({channel(0.014, 0.0)}).poor);
  EXPECT_TRUE(judge_fit({channel(0.5, 2.0)}).poor);
  EXPECT_TRUE(judge_fit({channel(0.001, 0.01), channel(0.1, 0.01)}).poor);
  EXPECT_TRUE(judge_fit({channel(std::nan(""), 0.01)}).poor);
}

TEST(FitGate, SaysWhereTheModelFails) {
  GateChannel c = channel(0.001, 0.01);
  GateAxis axis{"amplitude", "mm", 1e3, {}};
  for (int i = 0; i < 40; ++i) {
    axis.values.push_back(1e-4 * (i + 1));
    if (i >= 30) c.residuals[static_cast<std::size_t>(i)] = 0.2;
  }
  c.axes = {axis};
  const GateVerdict verdict = judge_fit({c});
  EXPECT_NE(verdict.words.find("worst at amplitude 3.1 ... 4 mm"), std::string::npos) << verdict.words;
}

TEST(FitGate, TakesStatusAndIntervals) {
  std::string status = "converged", reason;
  std::vector<ParameterEstimate> parameters(2);
  parameters[0].value = 1.0, parameters[0].std = 0.1, parameters[0].lower_95 = 0.8, parameters[0].upper_95 = 1.2;
  parameters[1].status = ParameterStatus::fixed,
  parameters[1].value = parameters[1].lower_95 = parameters[1].upper_95 = 3.0;
  std::vector<Finding> findings;
  apply_gate(judge_fit({channel(0.2, 0.01)}), "", status, reason, parameters, findings);
  EXPECT_EQ(status, "poor_fit");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "poor_fit");
  EXPECT_TRUE(std::isnan(parameters[0].lower_95));
  EXPECT_EQ(parameters[1].lower_95, 3.0);
  status = "not_converged";
  apply_gate(judge_fit({channel(0.2, 0.01)}), "", status, reason, parameters, findings);
  EXPECT_EQ(status, "not_converged");
}

TEST(FitGate, ThreeDecadesAreNoInterval) {
  std::vector<ParameterEstimate> parameters(2);
  parameters[0].name = "gamma", parameters[0].value = 1.0, parameters[0].std = 3.0, parameters[0].lower_95 = 1e-3,
  parameters[0].upper_95 = 1e3;
  parameters[1].name = "rdl", parameters[1].value = 1.0, parameters[1].std = 0.5, parameters[1].lower_95 = 0.1,
  parameters[1].upper_95 = 10.0;
  std::vector<Finding> findings;
  withhold_wide_intervals(parameters, findings);
  EXPECT_FALSE(std::isfinite(parameters[0].std));
  EXPECT_TRUE(std::isfinite(parameters[1].std));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].where, "gamma");
}

}  // namespace
}  // namespace kdyn::inline numerics
