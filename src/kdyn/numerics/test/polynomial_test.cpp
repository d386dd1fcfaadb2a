// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/polynomial.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "kdyn/numerics/levels.hpp"

namespace kdyn::inline numerics {
namespace {

using C = std::complex<double>;

// Product of known factors over many decades: the roots must come back.
TEST(Polynomial, RootsOverManyDecades) {
  const C pair(-20.0, 900.0);
  Polynomial p = {std::norm(pair), -2.0 * pair.real(), 1.0};
  for (const double r : {-1e-2, -3.0, -4e2, -7e4}) p = p * Polynomial{-r, 1.0};
  p = 1e-7 * p;
  const auto roots = roots_of(p);
  ASSERT_EQ(roots.size(), 6u);
  for (const C& expected : {C(-1e-2), C(-3.0), C(-4e2), C(-7e4), pair, std::conj(pair)}) {
    const auto nearest = *std::min_element(roots.begin(), roots.end(), [&](const C& a, const C& b) {
      return std::abs(a - expected) < std::abs(b - expected);
    });
    EXPECT_LT(std::abs(nearest - expected), 1e-11 * std::abs(expected));  // well separated roots: condition below 1e4
  }
}

TEST(Polynomial, ZeroRootsAndZeroLeadingCoefficients) {
  const auto roots = roots_of({0.0, 0.0, 6.0, 3.0, 0.0});  // s^2 (6 + 3 s)
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_EQ(roots[0], C(0.0));
  EXPECT_EQ(roots[1], C(0.0));
  EXPECT_NEAR(roots[2].real(), -2.0, 1e-15);
  EXPECT_TRUE(roots_of({}).empty());
  EXPECT_TRUE(roots_of({5.0}).empty());
  EXPECT_TRUE(roots_of({0.0, 0.0}).empty());
}

TEST(Polynomial, ArithmeticAgreesWithValues) {
  const Polynomial a = {1.0, -2.0, 0.5}, b = {3.0, 1.0};
  const C s(0.3, -1.7);
  EXPECT_LT(std::abs(value_at(a * b, s) - value_at(a, s) * value_at(b, s)), 1e-14);
  EXPECT_LT(std::abs(value_at(a + b, s) - value_at(a, s) - value_at(b, s)), 1e-14);
}

TEST(Levels, GroupsNeighboursWithinTenPercent) {
  const auto levels = levels_of({1.0, 0.97, 1.03, 2.0, 2.1, 5.0});
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0], 1.0);
  EXPECT_EQ(nearest_level(levels, 1.9), 1u);
  // A sweep in steps of 7 % is no single frequency.
  EXPECT_EQ(levels_of({10.0, 10.7, 11.4, 10.0, 10.001}, frequency_spread).size(), 3u);
}

}  // namespace
}  // namespace kdyn::inline numerics
