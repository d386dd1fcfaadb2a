// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/cycles.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::inline signal {
namespace {

// ASTM E1049-85, the history of Figures 5 and 6: A..I.
const std::vector<double> history = {-2, 1, -3, 5, -1, 3, -4, 4, -2};

std::map<double, double> counts(const std::vector<Cycle>& cycles) {
  std::map<double, double> out;
  for (const Cycle& c : cycles) out[c.range] += c.count;
  return out;
}

TEST(Cycles, RainflowReproducesTheExampleOfAstmE1049) {
  const std::map<double, double> expected = {{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1.0}, {9, 0.5}};
  EXPECT_EQ(counts(rainflow(history)), expected);
}

TEST(Cycles, RangePairsReproduceTheExampleOfAstmE1049) {
  const std::map<double, double> expected = {{3, 1}, {4, 1}, {6, 1}, {8, 1}};
  EXPECT_EQ(counts(range_pairs(history)), expected);
}

TEST(Cycles, MeansAreThoseOfTheExample) {
  for (const Cycle& c : rainflow(history)) {
    if (c.count == 1.0) {
      EXPECT_EQ(c.mean, 1.0);  // E-F: -1 to 3
    }
  }
}

TEST(Cycles, TurningPointsKeepExtremesAndEnds) {
  EXPECT_EQ(turning_points(std::vector<double>{0, 1, 2, 2, 1, 1, 3, 0}), (std::vector<double>{0, 2, 1, 3, 0}));
  EXPECT_EQ(turning_points(std::vector<double>{1, 1, 1}), (std::vector<double>{1}));
  EXPECT_TRUE(turning_points(std::vector<double>{}).empty());
  // A ripple of 0.2 on the way is ignored with a threshold of 0.5; the extremes stay.
  EXPECT_EQ(turning_points(std::vector<double>{0, 1, 0.8, 2, -2, -1.8, -3, 0}, 0.5),
            (std::vector<double>{0, 2, -3, 0}));
}

// Every turning point is an end of exactly two half ranges, the ends of the history of one: ranges of rainflow add up
// to the path.
TEST(Cycles, RangesOfRainflowAddUpToThePath) {
  RandomStream random(7);
  std::vector<double> signal;
  for (int i = 0; i < 5000; ++i) signal.push_back(random.normal());
  const auto points = turning_points(signal);
  double path = 0.0, counted = 0.0, largest = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) path += std::abs(points[i] - points[i - 1]);
  for (const Cycle& c : rainflow(points)) counted += 2.0 * c.count * c.range, largest = std::max(largest, c.range);
  EXPECT_NEAR(counted / path, 1.0, 1e-12);
  const auto [low, high] = std::minmax_element(points.begin(), points.end());
  EXPECT_EQ(largest, *high - *low);
}

TEST(Cycles, LevelCrossingsOfASine) {
  std::vector<double> sine;
  for (int i = 0; i < 1000; ++i) sine.push_back(std::sin(2.0 * 3.14159265358979 * 10.0 * (i + 0.3) / 1000.0));
  const LevelCrossings c = level_crossings(sine, {-2.0, -0.5, 0.25, 0.9, 1.5}, 0.0);
  EXPECT_EQ(c.count[0], 0.0);
  EXPECT_EQ(c.count[1], 10.0);
  EXPECT_EQ(c.count[2], 10.0);
  EXPECT_EQ(c.count[3], 10.0);
  EXPECT_EQ(c.count[4], 0.0);
  const auto levels = even_levels(sine, 10);
  EXPECT_EQ(levels.size(), 10u);
  EXPECT_TRUE(even_levels(std::vector<double>{2, 2}, 10).empty());
}

}  // namespace
}  // namespace kdyn::inline signal
