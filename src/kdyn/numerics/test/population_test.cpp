// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/population.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn {
namespace {

TEST(Population, TrendOverPlacesIsTheLineOverThem) {
  // 2 + 3 t exactly: the change from t = 0 to 10 is 30 however the places lie.
  const SampleStatistics s = describe_sample({2.0, 5.0, 32.0, 11.0}, {0.0, 1.0, 10.0, 3.0});
  EXPECT_NEAR(s.trend, 30.0, 1e-12);
  EXPECT_NEAR(s.trend_std, 0.0, 1e-6);
}

TEST(Population, DifferenceOfGroupsIsThatOfTheFTest) {
  // One-way analysis of variance by hand: F = 9.3 with 2 and 15 degrees of freedom, p = 0.0023, one-sided normal
  // quantile 2.83; Paulson's formula is good to a few hundredths there.
  const std::vector<std::vector<double>> groups = {{6, 8, 4, 5, 3, 4}, {8, 12, 9, 11, 6, 8}, {13, 9, 11, 8, 7, 12}};
  EXPECT_NEAR(difference_of_groups(groups), 2.83, 0.05);
  EXPECT_EQ(difference_of_groups({{1.0, 2.0, 3.0}}), 0.0);
  // Groups of one kind: about 0 as any standard normal quantity, far from 4.
  EXPECT_LT(std::abs(difference_of_groups({{1.0, 2.0, 3.0, 2.5}, {1.5, 2.2, 2.9, 2.0}})), 2.0);
}

TEST(Population, DescribesAKnownSample) {
  const SampleStatistics s = describe_sample({1.0, 2.0, 3.0, 4.0, 5.0});
  EXPECT_DOUBLE_EQ(s.mean, 3.0);
  EXPECT_DOUBLE_EQ(s.std, std::sqrt(2.5));
  EXPECT_DOUBLE_EQ(s.median, 3.0);
  EXPECT_DOUBLE_EQ(s.trend, 4.0);        // a straight line
  EXPECT_NEAR(s.trend_std, 0.0, 1e-12);  // without scatter
  std::size_t all = 0;
  for (const std::size_t n : s.counts) all += n;
  EXPECT_EQ(all, 5u);
  const Capability c = capability_of({1.0, 2.0, 3.0, 4.0, 5.0}, 0.0, 4.0);
  EXPECT_DOUBLE_EQ(c.cp, 4.0 / (6.0 * std::sqrt(2.5)));
  EXPECT_DOUBLE_EQ(c.cpk, 1.0 / (3.0 * std::sqrt(2.5)));
  EXPECT_EQ(c.outside, 1u);
}

// Tables of chi^2.
TEST(Population, ChiSquareQuantiles) {
  EXPECT_NEAR(chi_square_quantile(0.5, 5.0), 4.351, 0.01 * 4.351);
  EXPECT_NEAR(chi_square_quantile(0.999, 5.0), 20.515, 0.02 * 20.515);
  EXPECT_NEAR(chi_square_quantile(0.999, 12.0), 32.909, 0.02 * 32.909);
}

TEST(Population, FindsPartsThatStandApart) {
  RandomStream random(7, 0);
  constexpr Eigen::Index n = 400;
  Eigen::MatrixXd x(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double a = random.normal(), b = random.normal(), c = random.normal();
    x.row(i) << a, 0.95 * a + 0.3 * b, c;  // the first two move together
  }
  // Unsuspicious in each quantity, against the correlation of the two; and a whole group that is far off.
  x.row(0) << 1.5, -1.5, 0.0;
  for (Eigen::Index i = 1; i < 40; ++i) x.row(i) << 6.0, 6.0, 6.0;
  const GroupDistance d = group_distance(x);
  ASSERT_EQ(d.squared.size(), n);
  for (Eigen::Index i = 0; i < 40; ++i) EXPECT_GT(d.squared[i], d.limit) << i;
  Eigen::Index false_ones = 0;
  for (Eigen::Index i = 40; i < n; ++i) false_ones += d.squared[i] > d.limit;
  EXPECT_LE(false_ones, 4);  // one in a thousand is expected of a normal group, the limit is estimated
  // Covariance of the group: truth 1, 0.95, 0.9925; of 400 parts within 20 %.
  EXPECT_NEAR(d.covariance(0, 0), 1.0, 0.2);
  EXPECT_NEAR(d.covariance(0, 1), 0.95, 0.2);
}

TEST(Population, RefusesWhatDoesNotVaryOrIsTooFew) {
  EXPECT_EQ(group_distance(Eigen::MatrixXd::Ones(50, 2)).squared.size(), 0);
  EXPECT_EQ(group_distance(Eigen::MatrixXd::Random(5, 2)).squared.size(), 0);
}

}  // namespace
}  // namespace kdyn
