// SPDX-License-Identifier: Apache-2.0
// Loads that steps pass over. Oracle: the trapezoid of a sine of n steps per period is off by (2 pi/n)^2/12.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/motion_check.hpp"

namespace kdyn::mbs {
namespace {

std::vector<Finding> found(const Json& force, double step_s, double duration_s = 1.0) {
  const Json json = {{"bodies", Json::array({{{"name", "b"}, {"mass", 1.0}, {"inertia", {1, 1, 1}}}})},
                     {"markers", Json::array({{{"name", "m"}, {"body", "b"}}})},
                     {"loads", Json::array({{{"name", "push"}, {"marker", "m"}, {"force", {force, 0, 0}}}})}};
  return check_loads(model_from_json(json, "model.json").model, step_s, duration_s, "model.json");
}

TEST(LoadCheck, SinesByStepsPerPeriod) {
  for (const int steps : {12, 20, 100}) EXPECT_TRUE(found("sin(62.83185307179586*t)", 0.1 / steps).empty()) << steps;
  for (const int steps : {4, 8}) {
    const auto told = found("sin(62.83185307179586*t)", 0.1 / steps);
    ASSERT_EQ(told.size(), 1u) << steps;
    EXPECT_EQ(told[0].code, "coarse_steps");
    EXPECT_EQ(told[0].severity, Severity::warning);
    EXPECT_NE(told[0].message.find("load push"), std::string::npos);
  }
  // 5.14 % at eight steps per period; the series goes on with the fourth power.
  EXPECT_NE(found("sin(62.83185307179586*t)", 0.1 / 8)[0].message.find("over 5"), std::string::npos)
      << found("sin(62.83185307179586*t)", 0.1 / 8)[0].message;
}

TEST(LoadCheck, BlowsBetweenStepsAndLoadsAboveHalfTheRate) {
  // Half a sine of 20 ms that ends before the first step does: nothing would move.
  const Json blow = "50*(1 + tanh((0.02 - t)*1e6))*sin(157.07963267948966*t)";
  for (const auto& told : {found(blow, 0.05), found("sin(4398.229715025711*t)", 1e-3)}) {
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].severity, Severity::serious);
  }
  EXPECT_TRUE(found(blow, 1e-3).empty());
}

TEST(LoadCheck, WhatStepsFollow) {
  EXPECT_TRUE(found(9.81, 0.1).empty());
  EXPECT_TRUE(found(0.0, 0.1).empty());
  // Rows on the steps are straight lines between them, however rough.
  Json rows = Json::array();
  for (int i = 0; i <= 100; ++i) rows.push_back({0.01 * i, i % 3 == 0 ? 1.0 : -0.4 * (i % 7)});
  EXPECT_TRUE(found(rows, 0.01).empty());
  EXPECT_EQ(found(rows, 0.03).size(), 1u);
}

}  // namespace
}  // namespace kdyn::mbs
