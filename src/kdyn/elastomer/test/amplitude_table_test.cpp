// SPDX-License-Identifier: Apache-2.0
// Tables over the amplitude against the formulas they are made from, at amplitudes between their nodes.
#include "kdyn/elastomer/amplitude_table.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::inline elastomer {
namespace {

std::vector<double> amplitudes(std::size_t count, double least, double greatest) {
  RandomStream random(7, 1);
  std::vector<double> out(count);
  for (double& a : out) a = least * std::pow(greatest / least, random.uniform());
  return out;
}

Elastomer<double> with_curve(FrictionLaw friction, bool limited) {
  Elastomer<double> law;
  law.law = friction;
  if (limited) law.ymax = 2.2e-4;
  for (int i = -12; i <= 12; ++i) {
    const double u = 4e-4 * i;
    law.curve_points.push_back({u, 3e5 * u + 1e10 * u * u * u + 2e7 * u * std::abs(u)});
  }
  law.complete();
  return law;
}

TEST(AmplitudeTable, FrictionIsThatOfItsFormula) {
  const std::vector<double> many = amplitudes(20'000, 1e-6, 5e-3);
  for (const FrictionLaw friction : {FrictionLaw::masing, FrictionLaw::g4})
    for (const bool limited : {false, true}) {
      const Friction<double> p = with_curve(friction, limited).friction();
      const FrictionTable table(p, many);
      for (std::size_t i = 0; i < many.size(); i += 11) {
        const Complex<double> exact = friction_stiffness(p, many[i]), found = table(many[i]);
        // Checked to 1e-12 between the nodes of every piece when it is made.
        EXPECT_LT(std::hypot(found.re - exact.re, found.im - exact.im), 2e-12 * std::hypot(exact.re, exact.im))
            << many[i];
      }
      // Outside the amplitudes it was made for: the formula itself.
      EXPECT_EQ(table(1e-8).re, friction_stiffness(p, 1e-8).re);
      EXPECT_EQ(table(1.0).im, friction_stiffness(p, 1.0).im);
    }
}

TEST(AmplitudeTable, StaticPartIsThatOfItsFormula) {
  const Elastomer<double> law = with_curve(FrictionLaw::masing, true);
  const std::vector<double> many = amplitudes(20'000, 1e-6, 8e-3);  // beyond the ends of the curve
  for (const double u0 : {0.0, 1.3e-3, -4.5e-3, 6e-3}) {
    const StaticTable table(law, u0, many);
    for (std::size_t i = 0; i < many.size(); i += 7) {
      const double a = many[i], exact = static_harmonic(StaticPart<double>{law}, u0, a);
      // Rounding of the force at u0, which both sums take out of themselves: 64 terms of 1e-16.
      const double rounding = 64 * 2.3e-16 * (std::abs(law.static_force(u0)) / a + exact);
      EXPECT_NEAR(table(a), exact, 4.0 * rounding) << "u0 " << u0 << " amplitude " << a;
    }
    EXPECT_EQ(table(1e-2), static_harmonic(StaticPart<double>{law}, u0, 1e-2));
  }
}

// One amplitude, none, a few, amplitudes at points of the curve: every number is a number.
TEST(AmplitudeTable, TakesAnyAmplitudes) {
  const Elastomer<double> law = with_curve(FrictionLaw::g4, true);
  std::vector<double> on_points(5'000, 4e-4);
  for (std::size_t i = 0; i < on_points.size(); ++i) on_points[i] *= static_cast<double>(1 + i % 12);
  for (const std::vector<double>& some :
       {std::vector<double>{}, {1e-3}, {1e-3, 2e-3, 1e-3}, {1e-310, 1e308}, on_points}) {
    const FrictionTable friction(law.friction(), some);
    const StaticTable statics(law, 0.0, some);
    for (const double a : some) {
      if (a < 1e-9 || a > 1.0) continue;  // what the formulas themselves do not carry
      EXPECT_NEAR(friction(a).im / friction_stiffness(law.friction(), a).im, 1.0, 1e-11);
      EXPECT_NEAR(statics(a) / static_harmonic(StaticPart<double>{law}, 0.0, a), 1.0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace kdyn::inline elastomer
