// SPDX-License-Identifier: Apache-2.0
// Oracle: the definition. Extremes over all points, by a plain loop, must be among the points that stay.
#include "kdyn/report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::report {
namespace {

Series noise(std::size_t count) {
  RandomStream random(3);
  Series series;
  for (std::size_t i = 0; i < count; ++i)
    series.x.push_back(static_cast<double>(i)), series.y.push_back(random.normal());
  return series;
}

std::vector<double> pick(const std::vector<double>& values, const std::vector<std::size_t>& kept) {
  std::vector<double> out;
  for (const std::size_t i : kept) out.push_back(values[i]);
  return out;
}

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }
double greatest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

TEST(Decimate, LeavesShortSeriesAlone) {
  EXPECT_TRUE(decimate(Series{}).empty());
  const auto kept = decimate(noise(max_points_per_series));
  ASSERT_EQ(kept.size(), max_points_per_series);
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], i);
}

TEST(Decimate, KeepsOrderEndsAndLimit) {
  for (const std::size_t count : {4001UL, 5000UL, 123457UL}) {
    const auto kept = decimate(noise(count));
    EXPECT_LE(kept.size(), max_points_per_series);
    EXPECT_GT(kept.size(), max_points_per_series / 2);
    EXPECT_EQ(kept.front(), 0U);
    EXPECT_EQ(kept.back(), count - 1);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), std::less_equal<>()));
  }
}

TEST(Decimate, KeepsGlobalExtremes) {
  Series series = noise(50000);
  series.y[31234] = 99.0;
  series.y[31235] = -99.0;
  const auto y = pick(series.y, decimate(series));
  EXPECT_EQ(greatest(y), 99.0);
  EXPECT_EQ(least(y), -99.0);
}

TEST(Decimate, KeepsExtremesOfEveryStretch) {
  const Series series = noise(40000);
  const auto kept = decimate(series, 400);
  // Any window twice as long as a run contains a whole run, hence that run's extremes.
  const std::size_t window = 2 * 40000 / ((400 - 2) / 2) + 2;
  for (std::size_t begin = 0; begin + window <= series.y.size(); begin += 977) {
    const auto inside =
        std::count_if(kept.begin(), kept.end(), [&](std::size_t i) { return i >= begin && i < begin + window; });
    EXPECT_GE(inside, 2) << "from point " << begin;
  }
}

TEST(Decimate, KeepsTheTurningPointsOfLoops) {
  Series loop;
  const std::size_t count = 30000;
  for (std::size_t i = 0; i < count; ++i) {
    const double phase = 6.0 * std::numbers::pi * static_cast<double>(i) / count;
    loop.x.push_back(std::sin(phase)), loop.y.push_back(std::cos(phase));
  }
  const auto kept = decimate(loop);
  EXPECT_LE(kept.size(), max_points_per_series);
  EXPECT_EQ(greatest(pick(loop.x, kept)), greatest(loop.x));
  EXPECT_EQ(least(pick(loop.x, kept)), least(loop.x));
}

TEST(Decimate, KeepsExtremesOfTheBand) {
  Series series = noise(20000);
  series.lower = series.upper = series.y;
  series.lower[777] = -500.0;
  series.upper[15001] = 500.0;
  const auto kept = decimate(series);
  EXPECT_EQ(least(pick(series.lower, kept)), -500.0);
  EXPECT_EQ(greatest(pick(series.upper, kept)), 500.0);
}

TEST(Decimate, KeepsGaps) {
  Series series = noise(20000);
  for (std::size_t i = 9000; i < 9100; ++i) series.y[i] = std::numeric_limits<double>::quiet_NaN();
  const auto y = pick(series.y, decimate(series));
  EXPECT_TRUE(std::any_of(y.begin(), y.end(), [](double value) { return std::isnan(value); }));
  const std::vector<double> nothing(10000, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(decimate(Series{.x = nothing, .y = nothing}).empty());
}

}  // namespace
}  // namespace kdyn::report
