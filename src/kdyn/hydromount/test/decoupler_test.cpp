// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/decoupler.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "reference_mounts.hpp"

namespace kdyn::inline hydromount {
namespace {

// Oracle: adaptive quadrature of the reference, good to 1e-10 of the value.
TEST(Decoupler, MeetsTheReferenceValues) {
  for (const Json& v : reference::hydro()["decoupler"]["values"]) {
    const Decoupler<double> valve{v["D"], v["K"], 0.0};
    const double u2 = v["u2"], expected = v["uB"];
    EXPECT_NEAR(valve.displacement(u2), expected, 1e-10 * std::abs(expected)) << u2;
    EXPECT_NEAR(valve.slope(u2), v["slope"].get<double>(), 1e-13);
    EXPECT_EQ(valve.displacement(-u2), -valve.displacement(u2));
  }
}

TEST(Decoupler, IntegralHasTheSlopeItClaims) {
  // Central differences over 1e-4: curvature below 2 gives 1e-8, rounding 1e-12.
  for (double x = -6.0; x <= 6.0; x += 0.037) {
    const double h = 1e-4, difference = (decoupler_integral(x + h) - decoupler_integral(x - h)) / (2.0 * h);
    EXPECT_NEAR(difference, std::tanh(x * x), 2e-8) << x;
  }
}

TEST(Decoupler, DescribingFunctionIsTheFirstHarmonic) {
  for (const double s0 : {0.0, 0.3})
    for (const double X : {1e-3, 0.04, 0.06, 0.5, 1.0, 3.0, 20.0, 59.0, 61.0, 1000.0}) {
      const Decoupler<double> valve{1e-4, 0.8, s0};
      const double r = X * 1e-4 / 0.8;
      double sum = 0.0;
      constexpr int n = 200000;  // resolves the knee at X = 1000: width 1e-3 of the period
      for (int i = 0; i < n; ++i) {
        const double s = std::sin(2.0 * std::numbers::pi * (i + 0.5) / n);
        sum += 2.0 / n * valve.displacement(r * s) * s / r;
      }
      // The table's cubic leaves 1e-9; its first-order tail above X = 60 leaves X^-3.
      EXPECT_NEAR(valve.describing_function(r), sum, 1e-8 + 0.5 * std::pow(std::max(X, 60.0), -3.0) * (X > 60.0)) << X;
    }
}

TEST(Decoupler, DerivativesByJetAgreeWithDifferences) {
  using J = Jet<3>;
  for (const double u2 : {-3e-4, -2e-5, 5e-6, 8e-5, 4e-4}) {
    const Decoupler<J> valve{J(1e-4, 0), J(0.9, 1), J(0.2, 2)};
    const J value = valve.displacement(J(u2)), gain = valve.describing_function(J(std::abs(u2)));
    for (int d = 0; d < 3; ++d) {
      const auto at = [&](double relative) {
        Decoupler<double> v{1e-4, 0.9, 0.2};
        (d == 0 ? v.clearance : d == 1 ? v.gradient : v.residual_slope) *= 1.0 + relative;
        return std::pair{v.displacement(u2), v.describing_function(std::abs(u2))};
      };
      const double base = d == 0 ? 1e-4 : d == 1 ? 0.9 : 0.2, step = 1e-5;
      const auto up = at(step), down = at(-step);
      // Differences over a relative step of 1e-5: 1e-9 of the value; the gain's table has a slope good to 1e-6.
      EXPECT_NEAR(value.v[d] * base, (up.first - down.first) / (2.0 * step), 1e-8 * std::abs(u2));
      EXPECT_NEAR(gain.v[d] * base, (up.second - down.second) / (2.0 * step), 1e-6);
    }
  }
}

}  // namespace
}  // namespace kdyn::inline hydromount
