// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/quadrature.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/numerics/hypergeometric.hpp"

namespace kdyn::inline numerics {
namespace {

TEST(Gauss, IsExactUpToDegree47) {
  // [numerics E4] Rounding of 24 terms of order 1.
  for (int degree = 0; degree <= 47; ++degree)
    EXPECT_NEAR(integrate(1.0, [&](double x) { return (degree + 1) * std::pow(x, degree); }), 1.0, 2e-14) << degree;
  // And not beyond, on the range where powers are orthogonal to the nodes' polynomial: the rule is the one it claims to
  // be.
  EXPECT_GT(std::abs(integrate(1.0, [](double x) { return std::pow(2.0 * x - 1.0, 48); }) - 1.0 / 49.0), 1e-15);
}

TEST(Gauss, NodesAreSymmetricAndWeightsPositive) {
  const GaussRule& rule = gauss_rule();
  double sum = 0.0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    EXPECT_NEAR(rule.node[i] + rule.node[rule.node.size() - 1 - i], 1.0, 1e-15);
    EXPECT_GT(rule.weight[i], 0.0);
    sum += rule.weight[i];
  }
  EXPECT_NEAR(sum, 1.0, 1e-14);
}

TEST(Gauss, DifferentiatesThroughTheLength) {
  // d/dL of the integral from 0 to L is the integrand at L.
  const Jet<1> L(1.7, 0);
  const Jet<1> value = integrate(L, [](const Jet<1>& x) { return Jet<1>(exp(x)); });
  EXPECT_NEAR(value.a, std::expm1(1.7), 1e-14);
  EXPECT_NEAR(value.v[0], std::exp(1.7), 1e-13);
}

TEST(Hypergeometric, AgreesWithElementaryCases) {
  // [numerics E5] Relative error of a sum of positive terms: rounding times the square root of their number, below
  // 1e-13 here.
  for (const double x : {0.0, 1e-8, 0.1, 0.5, 0.9, 0.99}) {
    EXPECT_NEAR(hypergeometric_2f1(1.0, 1.0, 2.0, x) * x, -std::log1p(-x), 1e-13 * x) << x;
    for (const double a : {0.2, 1.0, 2.5})
      EXPECT_NEAR(hypergeometric_2f1(a, 2.0, 2.0, x) * std::pow(1.0 - x, a), 1.0, 1e-12) << x;
    EXPECT_NEAR(hypergeometric_2f1(0.5, 0.5, 1.0, x) / (2.0 / std::numbers::pi * std::comp_ellint_1(std::sqrt(x))), 1.0,
                1e-13)
        << x;
  }
}

TEST(Hypergeometric, DifferentiatesByItsParameters) {
  // d/dx 2F1(a, b; c; x) = (a b/c) 2F1(a+1, b+1; c+1; x)
  const double a = 0.3, b = 1.3, x = 0.6;
  EXPECT_NEAR(hypergeometric_2f1(Jet<1>(a), Jet<1>(b), 2.0, Jet<1>(x, 0)).v[0],
              a * b / 2.0 * hypergeometric_2f1(a + 1.0, b + 1.0, 3.0, x), 1e-14);
}

}  // namespace
}  // namespace kdyn::inline numerics
