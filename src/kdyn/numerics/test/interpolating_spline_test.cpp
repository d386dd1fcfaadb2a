// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/interpolating_spline.hpp"

namespace kdyn::inline numerics {
namespace {

Curve sine(double samples_per_period, int periods) {
  Curve out;
  for (int i = 0; i <= static_cast<int>(samples_per_period * periods); ++i)
    out.emplace_back(i / samples_per_period, std::sin(two_pi * i / samples_per_period));
  return out;
}

// Of the second derivative over the whole range, ends included; the oracle is the sine itself.
double rms_error_of_second(const Curve& points, double (*second)(double)) {
  const InterpolatingSpline spline(points);
  double error = 0.0, size = 0.0;
  for (double x = spline.lower(); x < spline.upper(); x += 1e-3) {
    error += std::pow(spline(x).second - second(x), 2);
    size += std::pow(second(x), 2);
  }
  return std::sqrt(error / size);
}

double second_of_sine(double x) { return -two_pi * two_pi * std::sin(two_pi * x); }

// [numerics E11] A polynomial of degree five is its own spline, on uneven points too.
TEST(InterpolatingSpline, ReproducesPolynomials) {
  const auto p = [](double x) {
    return 1.0 - x + 0.5 * x * x - 0.3 * x * x * x + 0.2 * std::pow(x, 4) - 0.05 * std::pow(x, 5);
  };
  const auto dp = [](double x) { return -1.0 + x - 0.9 * x * x + 0.8 * x * x * x - 0.25 * std::pow(x, 4); };
  const auto ddp = [](double x) { return 1.0 - 1.8 * x + 2.4 * x * x - 1.0 * std::pow(x, 3); };
  Curve points;
  for (int i = 0; i < 15; ++i) points.emplace_back(0.2 * i + 0.004 * i * i, p(0.2 * i + 0.004 * i * i));
  const InterpolatingSpline spline(points);
  for (double x = spline.lower(); x <= spline.upper(); x += 0.01) {
    // Rounding: values up to 2, differences over 0.2 twice.
    EXPECT_NEAR(spline(x).value, p(x), 1e-12);
    EXPECT_NEAR(spline(x).slope, dp(x), 1e-11);
    EXPECT_NEAR(spline(x).second, ddp(x), 1e-9);
  }
}

TEST(InterpolatingSpline, FewPointsGiveTheirPolynomial) {
  EXPECT_EQ(InterpolatingSpline(Curve{{2.0, 7.0}})(2.0).value, 7.0);
  const InterpolatingSpline line(Curve{{1.0, 2.0}, {3.0, 6.0}});
  EXPECT_NEAR(line(2.5).value, 5.0, 1e-14);
  EXPECT_NEAR(line(2.5).slope, 2.0, 1e-14);
  EXPECT_EQ(line(2.5).second, 0.0);
  const InterpolatingSpline parabola(Curve{{0.0, 0.0}, {1.0, 1.0}, {3.0, 9.0}});
  EXPECT_NEAR(parabola(2.0).second, 2.0, 1e-13);
}

// Sixth-order error of values, fourth of second derivatives: halving the distance divides it by 16 or more.
TEST(InterpolatingSpline, SecondDerivativeOfASine) {
  const double coarse = rms_error_of_second(sine(12, 8), second_of_sine),
               fine = rms_error_of_second(sine(24, 8), second_of_sine);
  EXPECT_LT(coarse, 0.005);
  EXPECT_LT(fine, coarse / 16.0);
  EXPECT_NEAR(InterpolatingSpline(sine(24, 8))(0.0).slope, two_pi, 1e-3);  // the end has no assumption of its own
}

// [numerics E12] The formula of what a sine keeps, by a separate evaluation.
TEST(Smoothed, KeepsSlowMotionAndDropsFast) {
  for (const double hz : {1.0, 5.0, 17.0}) {
    Curve points;
    for (int i = 0; i < 4000; ++i) points.emplace_back(1e-3 * i, std::cos(two_pi * hz * (1e-3 * i - 2.0)));
    const Curve out = smoothed(points, 5.0);
    const double u = 0.214 * hz * hz / 25.0;
    EXPECT_NEAR(out[2000].second, (1.0 + u) * std::exp(-u), 2e-3) << hz;  // the bell is cut at four standard deviations
  }
}

TEST(Smoothed, MakesNoisyMotionDifferentiable) {
  RandomStream random(1, 0);
  Curve points;
  for (int i = 0; i <= 5000; ++i) points.emplace_back(1e-3 * i, std::sin(two_pi * i / 200.0) + 2e-4 * random.normal());
  const auto second = [](double x) { return -25.0 * two_pi * two_pi * std::sin(5.0 * two_pi * x); };
  EXPECT_GT(rms_error_of_second(points, second), 0.5);
  EXPECT_LT(rms_error_of_second(smoothed(points, 15.0), second), 0.01);
}

TEST(Roughness, TellsNoiseAndKinksFromSmoothMotion) {
  EXPECT_NEAR(roughness(sine(12, 8)), 2.0 - 2.0 * std::cos(two_pi / 12.0), 0.02);
  EXPECT_GT(roughness(Curve{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 1}, {5, 2}, {6, 3}, {7, 4}}), 2.0);
  RandomStream random(2, 0);
  Curve noise;
  for (int i = 0; i < 5000; ++i) noise.emplace_back(i, random.normal());
  EXPECT_NEAR(roughness(noise), std::sqrt(70.0 / 6.0), 0.1);
}

}  // namespace
}  // namespace kdyn::inline numerics
