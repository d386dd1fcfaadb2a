// SPDX-License-Identifier: Apache-2.0
// The two curves of numerics: monotone interpolation and the B-spline.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/curve_check.hpp"
#include "kdyn/numerics/monotone_curve.hpp"
#include "kdyn/numerics/quadrature.hpp"
#include "kdyn/numerics/spline.hpp"

namespace kdyn::inline numerics {
namespace {

using Points = std::vector<std::pair<double, double>>;

Points random_points(RandomStream& random) {
  Points points = {{-3.0 * random.uniform(), -5.0 * random.uniform()}};
  const auto count = 1 + random.below(8);
  for (std::uint64_t i = 0; i < count; ++i)
    points.emplace_back(points.back().first + std::pow(10.0, random.uniform(-2.0, 0.5)),
                        points.back().second + std::pow(10.0, random.uniform(-3.0, 1.0)));
  return points;
}

TEST(MonotoneCurve, PassesItsPointsAndNeverFalls) {
  RandomStream random(51);
  for (int trial = 0; trial < 300; ++trial) {
    const Points points = random_points(random);
    const MonotoneCurve curve(points);
    for (const auto& [x, y] : points) EXPECT_NEAR(curve.value(x), y, 1e-12);
    double before = curve.value(curve.front() - 1.0);
    for (double x = curve.front() - 0.99; x < curve.back() + 1.0; x += 0.01) {
      EXPECT_GT(curve.value(x), before) << trial << " " << x;
      EXPECT_GT(curve.slope(x), 0.0) << trial << " " << x;  // [numerics E3]
      before = curve.value(x);
    }
  }
}

TEST(MonotoneCurve, HasContinuousSlopesThatAreItsDerivative) {
  RandomStream random(52);
  for (int trial = 0; trial < 100; ++trial) {
    const Points points = random_points(random);
    const MonotoneCurve curve(points);
    for (const auto& [x, y] : points) {
      // Curvatures reach slope over step, 6 (10/0.01)/0.01 = 6e5 here: 1e-11 of travel moves the slope by 6e-6.
      EXPECT_NEAR(curve.slope(x - 1e-11), curve.slope(x + 1e-11), 1.2e-5);
      EXPECT_NEAR(curve.value(x - 1e-14), curve.value(x + 1e-14), 1e-9);
    }
    for (int i = 0; i < 20; ++i) {
      const double x = random.uniform(curve.front() - 1.0, curve.back() + 1.0);
      EXPECT_NEAR(curve.value(Jet<1>(x, 0)).v[0], curve.slope(x), 1e-10 * (1.0 + curve.slope(x)));
    }
  }
}

TEST(MonotoneCurve, InvertsItself) {
  RandomStream random(53);
  for (int trial = 0; trial < 200; ++trial) {
    const MonotoneCurve curve(random_points(random));
    for (int i = 0; i < 20; ++i) {
      const double x = random.uniform(curve.front() - 2.0, curve.back() + 2.0), y = curve.value(x);
      // A few units in the last place of y, and of x times the slope.
      EXPECT_NEAR(curve.value(curve.inverse(y)), y, 1e-14 * (1.0 + std::abs(y) + curve.slope(x) * (1.0 + std::abs(x))))
          << trial;
    }
  }
}

TEST(MonotoneCurve, IntegratesItself) {
  const MonotoneCurve curve({{-2.0, -3.0}, {-0.5, -0.2}, {0.7, 0.9}, {1.0, 4.0}});
  const std::vector<double> cuts = {-2.0, -0.5, 0.7, 1.0};
  for (const double x : {-5.0, -1.0, 0.0, 0.3, 0.9, 3.0}) {
    // Gauss' rule on each cubic piece is exact.
    double expected = 0.0, at = 0.0;
    const double sign = x < 0.0 ? -1.0 : 1.0;
    while (at != x) {
      double next = x;
      for (const double cut : cuts)
        if (sign * (cut - at) > 0.0 && sign * (next - cut) > 0.0) next = cut;
      expected += integrate(next - at, [&](double d) { return curve.value(at + d); });
      at = next;
    }
    EXPECT_NEAR(curve.integral(x), expected, 1e-13) << x;
    EXPECT_NEAR(curve.integral(Jet<1>(x, 0)).v[0], curve.value(x), 1e-13) << x;
  }
}

TEST(MonotoneCurve, GoesOnStraightOutside) {
  const MonotoneCurve curve({{0.0, 0.0}, {1.0, 1.0}, {2.0, 4.0}});
  for (const double d : {0.5, 10.0}) {
    EXPECT_NEAR(curve.value(2.0 + d), 4.0 + d * curve.slope(2.0), 1e-12);
    EXPECT_NEAR(curve.value(-d), -d * curve.slope(0.0), 1e-12);
  }
  const MonotoneCurve line({{1.0, 2.0}, {3.0, 6.0}});
  for (const double x : {-1.0, 1.5, 9.0}) EXPECT_NEAR(line.value(x), 2.0 * x, 1e-13);
}

TEST(MonotoneCurve, NamesThePointThatBreaksTheRule) {
  const auto refused_at = [](const Points& points) {
    try {
      check_rising(points, "curve");
    } catch (const Error& error) {
      return error.where();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused_at({}), "curve");
  EXPECT_EQ(refused_at({{0.0, 0.0}}), "curve");
  EXPECT_EQ(refused_at({{0.0, 0.0}, {0.0, 1.0}}), "curve[1]");
  EXPECT_EQ(refused_at({{0.0, 0.0}, {1.0, 1.0}, {2.0, 1.0}}), "curve[2]");
  EXPECT_EQ(refused_at({{0.0, 0.0}, {1.0, std::nan("")}}), "curve[1]");
}

TEST(Spline, ReproducesCubics) {
  // [numerics E6] The coefficients of a cubic are its blossom at three neighbouring knots.
  Spline<double> spline{{-1.0, 2.0, 5}, {}};
  const double a0 = 0.3, a1 = -1.1, a2 = 0.7, a3 = 0.4, h = spline.grid.step();
  for (int j = 0; j < spline.grid.coefficients(); ++j) {
    const double p = -1.0 + (j - 2) * h, q = p + h, r = q + h;
    spline.c.push_back(a0 + a1 * (p + q + r) / 3.0 + a2 * (p * q + q * r + r * p) / 3.0 + a3 * p * q * r);
  }
  const auto cubic = [&](double x) { return a0 + x * (a1 + x * (a2 + x * a3)); };
  const auto slope = [&](double x) { return a1 + x * (2.0 * a2 + 3.0 * x * a3); };
  for (const double x : {-1.0, -0.5, -0.4, 0.0, 0.799, 0.801, 1.7, 2.0}) {
    EXPECT_NEAR(spline.value(x), cubic(x), 1e-14) << x;
    EXPECT_NEAR(spline.slope(x), slope(x), 1e-13) << x;
  }
  // Tangents outside.
  EXPECT_NEAR(spline.value(5.0), cubic(2.0) + 3.0 * slope(2.0), 1e-13);
  EXPECT_NEAR(spline.value(-2.0), cubic(-1.0) - slope(-1.0), 1e-13);
  EXPECT_NEAR(spline.slope(5.0), slope(2.0), 1e-13);
}

TEST(Spline, SlopeIsTheDerivative) {
  RandomStream random(54);
  Spline<Jet<1>> spline{{0.0, 3.0, 7}, {}};
  for (int j = 0; j < spline.grid.coefficients(); ++j) spline.c.push_back(Jet<1>(random.uniform(-1.0, 1.0)));
  for (double x = -0.5; x < 3.5; x += 0.037)
    EXPECT_NEAR(spline.value(Jet<1>(x, 0)).v[0], spline.slope(Jet<1>(x)).a, 1e-13) << x;
}

TEST(Spline, SlopeOfTheSlope) {
  // Central differences of the slope, which is piecewise quadratic: exact but for rounding unless a knot lies between.
  RandomStream random(55);
  Spline<Jet<1>> spline{{0.0, 3.0, 6}, {}};
  for (int j = 0; j < spline.grid.coefficients(); ++j) spline.c.push_back(Jet<1>(random.uniform(-1.0, 1.0)));
  const double h = 1e-3;
  for (double x = -0.53; x < 3.5; x += 0.125) {
    const double difference = (spline.slope(Jet<1>(x + h)).a - spline.slope(Jet<1>(x - h)).a) / (2.0 * h);
    EXPECT_NEAR(spline.slope(Jet<1>(x, 0)).v[0], difference, 1e-11) << x;
  }
}

TEST(Spline, AWeightedSumIsTheSumOfItsTerms) {
  // Second way: term by term, with derivatives by coefficients, centre and reach; ranges beyond both ends included.
  RandomStream random(56);
  using J = Jet<9>;
  Spline<J> spline{{-1.0, 1.0, 4}, {}};
  for (int j = 0; j < 7; ++j) spline.c.push_back(J(random.uniform(-1.0, 1.0), j));
  const std::array<double, 5> factors = {-0.9, -0.3, 0.1, 0.5, 1.0};
  for (const double reach : {0.05, 0.8, 2.5}) {
    const J centre(0.2, 7), size(reach, 8);
    J expected(0.0);
    for (const double f : factors) expected += f * spline.value(J(centre + f * size));
    const J sum = spline.weighted_sum(centre, size, factors);
    EXPECT_NEAR(sum.a, expected.a, 1e-14);
    for (int d = 0; d < 9; ++d) EXPECT_NEAR(sum.v[d], expected.v[d], 1e-13) << d;
  }
}

}  // namespace
}  // namespace kdyn::inline numerics
