// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/design.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::study {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// [study E3] Any 2^k first points put one into each of 2^k equal intervals of every parameter; the digital shift keeps it.
TEST(Sobol, PutsOnePointIntoEachIntervalOfEveryParameter) {
  for (const std::size_t count : {16U, 256U, 1024U}) {
    const Points points = unit_points(Sampling::sobol, count, most_sobol_columns, 5);
    for (std::size_t j = 0; j < points.columns; ++j) {
      std::set<std::size_t> intervals;
      for (std::size_t i = 0; i < count; ++i)
        intervals.insert(static_cast<std::size_t>(points.at(i, j) * static_cast<double>(count)));
      EXPECT_EQ(intervals.size(), count) << "parameter " << j;
    }
  }
}

// Published digits (Joe and Kuo 2008, unshifted): third point of dimensions 1 to 5 is 0.75 0.25 0.75 0.75 0.25 in Gray-code order 1 -> 0.5, 2 -> 0.75.
TEST(Sobol, DiffersFromThePublishedSequenceByOneShift) {
  const std::vector<std::vector<double>> published = {
      {0, 0, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.25, 0.25, 0.75}, {0.25, 0.75, 0.75, 0.75, 0.25}};
  const Points points = unit_points(Sampling::sobol, 4, 5, 11);
  const auto bits = [](double u) { return static_cast<std::uint32_t>(u * 0x1p32); };
  for (std::size_t j = 0; j < 5; ++j)
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(bits(points.at(i, j)) ^ bits(points.at(0, j)), bits(published[i][j])) << i << " " << j;
}

// An integral of known value: the error of a Sobol sequence falls nearly like 1/n, that of chance like 1/sqrt(n).
TEST(Sobol, IntegratesBetterThanChance) {
  const auto error = [](Sampling sampling) {
    const Points p = unit_points(sampling, 4096, 6, 3);
    double sum = 0.0;
    for (std::size_t i = 0; i < p.rows; ++i) {
      double product = 1.0;
      for (std::size_t j = 0; j < 6; ++j) product *= 1.0 + (p.at(i, j) - 0.5) * 0.8;
      sum += product;
    }
    return std::abs(sum / 4096.0 - 1.0);
  };
  EXPECT_LT(error(Sampling::sobol), 5e-4);  // chance: 0.6/sqrt(4096) = 1e-2
  EXPECT_LT(error(Sampling::latin_hypercube), 5e-3);
}

TEST(LatinHypercube, VisitsEachIntervalOnceAndFollowsItsSeed) {
  const Points a = unit_points(Sampling::latin_hypercube, 100, 3, 7),
               b = unit_points(Sampling::latin_hypercube, 100, 3, 7),
               c = unit_points(Sampling::latin_hypercube, 100, 3, 8);
  EXPECT_EQ(a.values, b.values);
  EXPECT_NE(a.values, c.values);
  for (std::size_t j = 0; j < 3; ++j) {
    std::set<int> intervals;
    for (std::size_t i = 0; i < 100; ++i) intervals.insert(static_cast<int>(a.at(i, j) * 100.0));
    EXPECT_EQ(intervals.size(), 100U);
  }
}

TEST(Distributions, HaveTheQuantilesOfTables) {
  EXPECT_DOUBLE_EQ(quantile({DistributionKind::uniform, 2.0, 6.0}, 0.25), 3.0);
  EXPECT_NEAR(quantile({DistributionKind::normal, -infinity, infinity, 10.0, 2.0}, 0.975), 10.0 + 2.0 * 1.959963985,
              1e-6);
  // Mean 1, std 0.2: sigma^2 = ln(1.04), median exp(-sigma^2/2).
  EXPECT_NEAR(quantile({DistributionKind::lognormal, -infinity, infinity, 1.0, 0.2}, 0.5), 1.0 / std::sqrt(1.04), 1e-9);
  // Triangle 0..2 with its top at 0.5: F(0.5) = 1/4, F(1) = 1 - 1/3.
  EXPECT_NEAR(quantile({DistributionKind::triangular, 0.0, 2.0, 0.0, 0.0, 0.5}, 0.25), 0.5, 1e-12);
  EXPECT_NEAR(quantile({DistributionKind::triangular, 0.0, 2.0, 0.0, 0.0, 0.5}, 2.0 / 3.0), 1.0, 1e-12);
}

// A cut normal distribution has no point outside and the mean of the textbook: mu + s (phi(a) - phi(b))/(Phi(b) - Phi(a)).
TEST(Distributions, AreCutWithoutPilingUpAtTheLimits) {
  const Distribution d{DistributionKind::normal, 0.5, 3.0, 1.0, 1.0};
  const int n = 20000;
  double sum = 0.0;
  int at_limit = 0;
  for (int i = 0; i < n; ++i) {
    const double x = quantile(d, (i + 0.5) / n);
    EXPECT_GE(x, 0.5);
    EXPECT_LE(x, 3.0);
    at_limit += x == 0.5 || x == 3.0;
    sum += x;
  }
  const auto phi = [](double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi); };
  const auto Phi = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  EXPECT_NEAR(sum / n, 1.0 + (phi(-0.5) - phi(2.0)) / (Phi(2.0) - Phi(-0.5)), 1e-4);
  EXPECT_LE(at_limit, 1);
}

TEST(Distributions, ThatAreNoneAreRefused) {
  const auto message = [](const Distribution& d) -> std::string {
    try {
      check(d, "parameters[0]");
    } catch (const Error& e) {
      EXPECT_EQ(e.where(), "parameters[0]");
      return e.message();
    }
    return "";
  };
  EXPECT_NE(message({DistributionKind::uniform, 1.0, 1.0}), "");
  EXPECT_NE(message({DistributionKind::uniform, 1.0}), "");
  EXPECT_NE(message({DistributionKind::normal, -infinity, infinity, 1.0, 0.0}), "");
  EXPECT_NE(message({DistributionKind::lognormal, -infinity, infinity, -1.0, 0.1}), "");
  EXPECT_NE(message({DistributionKind::normal, 50.0, 60.0, 1.0, 1.0}), "");
  EXPECT_NE(message({DistributionKind::triangular, 0.0, 1.0, 0.0, 0.0, 2.0}), "");
  EXPECT_EQ(message({DistributionKind::normal, 0.0, infinity, 1.0, 1.0}), "");
}

// [study E4] rank correlation 6/pi asin(r/2), margins stay even, uncorrelated columns stay as they are.
TEST(Correlation, IsThatOfRanksAndKeepsTheMargins) {
  Points points = unit_points(Sampling::sobol, 8192, 3, 1);
  const Points before = points;
  Eigen::MatrixXd r = Eigen::MatrixXd::Identity(3, 3);
  r(0, 2) = r(2, 0) = 0.7;
  correlate(points, r, "correlations");
  double sum = 0.0, mean = 0.0, third = 0.0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    EXPECT_EQ(points.at(i, 1), before.at(i, 1));
    sum += (points.at(i, 0) - 0.5) * (points.at(i, 2) - 0.5) * 12.0;
    mean += points.at(i, 2);
    third += points.at(i, 2) < 1.0 / 3.0;
  }
  const double n = static_cast<double>(points.rows);
  EXPECT_NEAR(sum / n, 6.0 / std::numbers::pi * std::asin(0.35), 5e-3);
  EXPECT_NEAR(mean / n, 0.5, 2e-3);
  EXPECT_NEAR(third / n, 1.0 / 3.0, 5e-3);
  r(0, 1) = r(1, 0) = -0.9, r(1, 2) = r(2, 1) = 0.9;
  EXPECT_THROW(correlate(points, r, "correlations"), Error);
}

TEST(SensitivityDesign, ExchangesOneColumnAtATime) {
  const Points p = sensitivity_points(4, 3, 2);
  ASSERT_EQ(p.rows, 20U);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(p.at(5 * i + 2 + j, k), p.at(5 * i + (j == k ? 1 : 0), k));
  EXPECT_EQ(sensitivity_points(8, 30, 2).columns, 30U);  // beyond the Sobol numbers
}

}  // namespace
}  // namespace kdyn::study
