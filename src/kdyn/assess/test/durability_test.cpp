// SPDX-License-Identifier: Apache-2.0
#include "kdyn/assess/durability.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::inline assess {
namespace {

TEST(Durability, DamageOfAScaledSignalScalesExactly) {
  RandomStream random(9);
  std::vector<double> load;
  for (int i = 0; i < 20000; ++i) load.push_back(1000.0 * random.normal());
  const std::vector<double> exponents = {3.0, 5.0, 7.5};
  const Durability one = assess_durability(load, exponents);
  for (const double s : {0.5, 2.0, 1.37, -1.0}) {
    std::vector<double> scaled = load;
    for (double& x : scaled) x *= s;
    const Durability other = assess_durability(scaled, exponents);
    for (std::size_t i = 0; i < exponents.size(); ++i)
      EXPECT_NEAR(other.damage[i] / (one.damage[i] * std::pow(std::abs(s), exponents[i])), 1.0, 1e-12)
          << s;  // rounding of pow and of 20000 sums
    EXPECT_EQ(other.cycles, one.cycles);
  }
}

TEST(Durability, SineDoesTheDamageOfItsAmplitude) {
  std::vector<double> load;
  for (int i = 0; i <= 1000; ++i) load.push_back(50.0 + 10.0 * std::cos(2.0 * std::numbers::pi * i / 100.0));
  const Durability d = assess_durability(load, {5.0}, 10.0);
  EXPECT_NEAR(d.damage[0], 10.0 * 1e5, 1e-3);  // ten cycles of amplitude 10
  EXPECT_NEAR(d.equivalent[0], 10.0, 1e-9);
  EXPECT_NEAR(d.cycles, 10.0, 1e-12);
  EXPECT_NEAR(d.rms, 10.0 / std::numbers::sqrt2, 0.01);
}

TEST(Durability, GateLeavesNoiseOutAndDamageIn) {
  RandomStream random(2);
  std::vector<double> load;
  for (int i = 0; i < 50000; ++i)
    load.push_back(100.0 * std::sin(2.0 * std::numbers::pi * i / 1000.0) + 0.5 * random.normal());
  const Durability all = assess_durability(load, {5.0}), gated = assess_durability(load, {5.0}, 1e6, 0.05);
  EXPECT_LT(gated.cycles, 60.0);
  EXPECT_GT(all.cycles, 500.0);
  EXPECT_NEAR(gated.damage[0] / all.damage[0], 1.0, 1e-6);
  EXPECT_TRUE(assess_durability({}, {3.0}).damage.empty());
}

}  // namespace
}  // namespace kdyn::inline assess
