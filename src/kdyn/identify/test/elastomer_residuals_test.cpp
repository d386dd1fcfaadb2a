// SPDX-License-Identifier: Apache-2.0
// Oracle: central differences. With a step of 1e-5 in ln(parameter) they are good to about 1e-9 of the residual's own
// size (truncation h^2, round-off eps/h); the loop criterion finds its extreme to 1e-9 rad, which costs two more
// digits. 1e-6 of the largest entry of a column holds for all.
#include <array>

#include <gtest/gtest.h>

#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/preload_curve.hpp"
#include "kdyn/identify/internal/residuals.hpp"
#include "kdyn/identify/test/fit_cases.hpp"

namespace kdyn::inline identify {
namespace {

struct JacobianCase {
  FrictionLaw law;
  Criterion criterion;
  StaticMode mode;
  bool limited;
};

class Jacobian : public ::testing::TestWithParam<JacobianCase> {};

TEST_P(Jacobian, AgreesWithDifferences) {
  const JacobianCase& p = GetParam();
  const bool progressive = p.mode != StaticMode::constant;
  const Elastomer<double> truth = test::truth_law(p.law, true, progressive);
  ElastomerData data;
  data.map = test::exact_map(truth, p.criterion,
                             progressive ? std::vector<double>{-200.0, 0.0, 300.0} : std::vector<double>{0.0});
  if (p.mode != StaticMode::per_preload) data.loops.push_back(test::rig_loop(truth));
  data.series.push_back(test::rig_series(truth));

  ElastomerFitOptions options;
  options.law = p.law;
  options.criterion = p.criterion;
  options.free = {"lambda"};
  // Away from the truth, where every residual and every derivative is generic.
  options.start = {{"alpha", 0.1}, {"beta", 0.1},   {"gamma", 0.005}, {"lambda", 0.35},
                   {"rdl", 9e-5},  {"rho", 4100.0}, {"ymax", 3e-4}};
  const Comparison comparison(data, p.criterion, std::vector<bool>(data.map.rows.size(), true));
  std::vector<Finding> findings;
  const FitSetup setup = make_setup(data, options, comparison, p.limited, findings);
  ASSERT_EQ(setup.layout.mode, p.mode);
  EXPECT_EQ(setup.layout.at[slot_ymax] >= 0, p.limited);

  const int m = comparison.residuals(), n = setup.layout.size;
  Eigen::VectorXd r(m), up(m), down(m);
  Eigen::MatrixXd J(m, n);
  ASSERT_TRUE(evaluate_residuals(comparison, setup.layout, setup.start, r, &J));
  Eigen::VectorXd plain(m);
  ASSERT_TRUE(evaluate_residuals(comparison, setup.layout, setup.start, plain, nullptr));
  EXPECT_LT((r - plain).lpNorm<Eigen::Infinity>(), 1e-9 * (1.0 + r.lpNorm<Eigen::Infinity>()));
  for (int j = 0; j < n; ++j) {
    constexpr double h = 1e-5;
    Eigen::VectorXd theta = setup.start;
    theta[j] += h;
    ASSERT_TRUE(evaluate_residuals(comparison, setup.layout, theta, up, nullptr));
    theta[j] -= 2.0 * h;
    ASSERT_TRUE(evaluate_residuals(comparison, setup.layout, theta, down, nullptr));
    const Eigen::VectorXd difference = (up - down) / (2.0 * h);
    // Groups have different units: each against its own largest entry.
    for (int g = 0; g < group_count; ++g) {
      double largest = 0.0, worst = 0.0;
      for (int i = 0; i < m; ++i)
        if (comparison.group[static_cast<std::size_t>(i)] == g) {
          largest = std::max(largest, std::abs(difference[i]));
          worst = std::max(worst, std::abs(difference[i] - J(i, j)));
        }
      const double round_off =
          (g == group_static || g == group_transient ? 1e3 : 1.0) * 4e-16 / h;  // forces are some 1000 N
      EXPECT_LT(worst, 1e-6 * largest + round_off) << "unknown " << j << ", group " << g;
    }
  }
}

std::vector<JacobianCase> jacobian_cases() {
  std::vector<JacobianCase> all;
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (const Criterion criterion : {Criterion::harmonic, Criterion::loop})
      for (const StaticMode mode : {StaticMode::constant, StaticMode::per_preload, StaticMode::spline})
        for (const bool limited : {false, true}) all.push_back({law, criterion, mode, limited});
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, Jacobian, ::testing::ValuesIn(jacobian_cases()));

TEST(PreloadCurve, HasItsStiffnessesAndPassesZero) {
  const std::vector<double> preloads = {-400.0, 0.0, 900.0};
  const std::vector<double> k = {3.2e5, 3e5, 5e5};
  const PreloadCurve<double> curve(preloads, k);
  EXPECT_NEAR(curve.displacement(0.0), 0.0, 1e-18);
  for (std::size_t i = 0; i < preloads.size(); ++i) {
    const double u = curve.displacement(preloads[i]);
    EXPECT_NEAR(curve.value(u), preloads[i], 1e-9);
    EXPECT_NEAR(curve.slope(u) / k[i], 1.0, 1e-12);
  }
  // dF/du = k(F), linear between the preloads: the defining equation, by differences.
  for (const double force : {-700.0, -100.0, 20.0, 500.0, 880.0, 1500.0}) {
    const double u = curve.displacement(force), h = 1e-8;
    const double expected = force < -400  ? 3.2e5
                            : force < 0   ? 3e5 - 2e4 * force / 400.0
                            : force < 900 ? 3e5 + 2e5 * force / 900.0
                                          : 5e5;
    EXPECT_NEAR(curve.value(u), force, 1e-9);
    EXPECT_NEAR(curve.slope(u) / expected, 1.0, 1e-9) << force;
    EXPECT_NEAR((curve.value(u + h) - curve.value(u - h)) / (2 * h) / expected, 1.0, 1e-6) << force;
  }
  // Equal stiffnesses: a straight line.
  const PreloadCurve<double> line({-1.0, 1.0}, {2e5, 2e5});
  EXPECT_NEAR(line.value(3e-3), 600.0, 1e-9);
}

TEST(PreloadCurve, AWeightedSumHasItsDerivatives) {
  // Central differences of the sum of plain values, by stiffnesses, centre and reach: their error is about 1e-8 of the
  // derivative times its unknown. Reaches stay in one piece, span all of them, and leave them at both ends.
  const std::vector<double> preloads = {-400.0, 0.0, 900.0};
  const std::vector<double> at = {3.2e5, 3e5, 5e5, 4e-4};
  const std::array<double, 4> factors = {-0.9, -0.2, 0.4, 1.0};
  for (const double reach : {1e-4, 2e-3, 8e-3}) {
    std::vector<double> x = at;
    x.push_back(reach);
    const auto sum = [&](const std::vector<double>& p) {
      const PreloadCurve<double> curve(preloads, {p[0], p[1], p[2]});
      double out = 0.0;
      for (const double f : factors) out += f * curve.value(p[3] + f * p[4]);
      return out;
    };
    using J = Jet<5>;
    const PreloadCurve<J> curve(preloads, {J(x[0], 0), J(x[1], 1), J(x[2], 2)});
    const J found = curve.weighted_sum(J(x[3], 3), J(x[4], 4), factors);
    EXPECT_NEAR(found.a / sum(x), 1.0, 1e-13);
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<double> up = x, down = x;
      const double h = 1e-5 * x[i];
      up[i] += h, down[i] -= h;
      EXPECT_NEAR(found.v[static_cast<std::ptrdiff_t>(i)] * x[i], (sum(up) - sum(down)) / (2.0 * h) * x[i],
                  1e-7 * std::abs(sum(x)))
          << i << " " << reach;
    }
  }
}

TEST(PreloadCurve, AwayFromZeroItContinuesStraight) {
  const PreloadCurve<double> curve({500.0, 1000.0}, {4e5, 6e5});
  EXPECT_NEAR(curve.value(0.0), 0.0, 1e-12);
  EXPECT_NEAR(curve.displacement(500.0), 500.0 / 4e5, 1e-15);
  EXPECT_NEAR(curve.slope(-1e-3), 4e5, 1e-6);
}

}  // namespace
}  // namespace kdyn::inline identify
