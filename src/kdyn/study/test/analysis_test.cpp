// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/analysis.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::study {
namespace {

constexpr double pi = std::numbers::pi;

// The function of Ishigami and Homma, whose indices are known in closed form.
TEST(SensitivityIndices, AreThoseOfTheIshigamiFunction) {
  const double a = 7.0, b = 0.1, p4 = std::pow(pi, 4), p8 = p4 * p4;
  const double variance = a * a / 8.0 + b * p4 / 5.0 + b * b * p8 / 18.0 + 0.5;
  const double v1 = 0.5 * std::pow(1.0 + b * p4 / 5.0, 2), v2 = a * a / 8.0,
               v13 = b * b * p8 * (1.0 / 18.0 - 1.0 / 50.0);
  const Points points = sensitivity_points(4096, 3, 1);
  std::vector<double> y;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto x = [&](std::size_t j) { return pi * (2.0 * points.at(i, j) - 1.0); };
    y.push_back(1e3 + std::sin(x(0)) + a * std::pow(std::sin(x(1)), 2) + b * std::pow(x(2), 4) * std::sin(x(0)));
  }
  const auto found = sensitivity_indices(y, 3, 9, 200);
  const double first[] = {v1 / variance, v2 / variance, 0.0},
               total[] = {(v1 + v13) / variance, v2 / variance, v13 / variance};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(found[j].first, first[j], 0.02);  // chance alone would err by 1/sqrt(4096) = 0.016
    EXPECT_NEAR(found[j].total, total[j], 0.02);
    EXPECT_LE(found[j].first_lower_95, first[j] + 1e-2);
    EXPECT_GE(found[j].first_upper_95, first[j] - 1e-2);
    EXPECT_LT(found[j].total_upper_95 - found[j].total_lower_95, 0.1);
  }
  // A failed run takes its base point with it and no other.
  std::vector<double> holes = y;
  holes[7] = not_known;
  EXPECT_EQ(whole_base_points(holes, 3), 4095U);
  EXPECT_NEAR(sensitivity_indices(holes, 3, 9, 50)[0].first, first[0], 0.02);
  // What does not vary has no indices.
  EXPECT_TRUE(std::isnan(sensitivity_indices(std::vector<double>(y.size(), 3.5), 3, 9)[0].first));
}

TEST(Effects, OfAStraightLineAreItsSlopesWithinTheirIntervals) {
  const std::size_t n = 400;
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Points x = unit_points(Sampling::latin_hypercube, n, 3, seed);
    RandomStream noise(seed, 99);
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) y.push_back(5.0 + 3.0 * x.at(i, 0) - 1.0 * x.at(i, 1) + 0.5 * noise.normal());
    const EffectsOfResponse found = EffectFit(x).of(y);
    const double slopes[] = {3.0, -1.0, 0.0};
    for (std::size_t j = 0; j < 3; ++j) {
      const Effect& e = found.effects[j];
      ASSERT_TRUE(e.determined);
      const double truth = slopes[j] * e.per_std / e.slope;
      inside += truth >= e.lower_95 && truth <= e.upper_95;
      ++all;
    }
    EXPECT_NEAR(found.effects[0].slope, 3.0, 0.4);  // standard error 0.5/(0.289 sqrt(400)) = 0.087
  }
  EXPECT_GE(inside, 0.88 * all);  // 95 % of 150 have a standard deviation of 1.8 %
}

TEST(Effects, OfParametersThatMoveTogetherAreNotDetermined) {
  Points x = unit_points(Sampling::random, 100, 4, 4);
  std::vector<double> y;
  for (std::size_t i = 0; i < 100; ++i) {
    x.at(i, 1) = 2.0 * x.at(i, 0) + 1.0;
    x.at(i, 3) = 7.0;
    y.push_back(x.at(i, 0) + x.at(i, 2));
  }
  const EffectsOfResponse found = EffectFit(x).of(y);
  EXPECT_FALSE(found.effects[0].determined);
  EXPECT_FALSE(found.effects[1].determined);
  EXPECT_TRUE(found.effects[2].determined);
  EXPECT_NEAR(found.effects[2].slope, 1.0, 1e-9);
  EXPECT_FALSE(found.effects[3].determined);
  EXPECT_NEAR(found.r_squared, 1.0, 1e-9);
}

TEST(Effects, OfFailedRunsDoNotCount) {
  const Points x = unit_points(Sampling::sobol, 64, 1, 4);
  std::vector<double> y;
  for (std::size_t i = 0; i < 64; ++i) y.push_back(i % 5 == 0 ? not_known : 2.0 * x.at(i, 0));
  const EffectsOfResponse found = EffectFit(x).of(y);
  EXPECT_EQ(found.count, 51U);
  EXPECT_NEAR(found.effects[0].slope, 2.0, 1e-9);
  EXPECT_NEAR(found.effects[0].rank_correlation, 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(EffectFit(unit_points(Sampling::sobol, 3, 1, 4)).of({1.0, 2.0, 3.0}).effects[0].slope));
}

TEST(Spread, HasTheMeanQuartilesAndIntervalOfATextbook) {
  // 1 .. 9 and a failed run: mean 5, s = 2.7386, t(0.975, 8) = 2.306.
  std::vector<double> values = {not_known};
  for (int i = 9; i >= 1; --i) values.push_back(i);
  const Spread s = spread_of(values);
  EXPECT_EQ(s.count, 9U);
  EXPECT_DOUBLE_EQ(s.mean, 5.0);
  EXPECT_DOUBLE_EQ(s.lower_25, 3.0);
  EXPECT_DOUBLE_EQ(s.median, 5.0);
  EXPECT_NEAR(s.mean_upper_95, 5.0 + 2.306004 * 2.7386128 / 3.0, 1e-5);
  EXPECT_TRUE(std::isnan(spread_of({not_known}).mean));
}

TEST(PairedDifference, DropsWhatBothShare) {
  std::vector<double> a, b;
  RandomStream random(1);
  for (int i = 0; i < 100; ++i) {
    const double shared = 100.0 * random.normal();
    a.push_back(shared), b.push_back(shared + 1.0 + 0.01 * random.normal());
  }
  b[3] = not_known;
  const PairedDifference d = paired_difference(a, b);
  EXPECT_EQ(d.pairs, 99U);
  EXPECT_NEAR(d.mean, 1.0, 0.005);
  EXPECT_LT(d.upper_95 - d.lower_95, 0.01);
}

}  // namespace
}  // namespace kdyn::study
