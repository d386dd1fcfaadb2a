// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/statistics.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::inline numerics {
namespace {

TEST(StudentT, AgreesWithTables) {
  // Two-sided 95 % points as every handbook lists them, to their four digits  [numerics E2].
  EXPECT_NEAR(student_t_quantile(0.975, 1.0), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 2.0), 4.3027, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 5.0), 2.5706, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 10.0), 2.2281, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 30.0), 2.0423, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.995, 5.0), 4.0321, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, std::numeric_limits<double>::infinity()), 1.959964, 5e-7);
}

TEST(StudentT, AgreesWithClosedFormsForOneAndTwoDegrees) {
  for (const double p : {1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999, 1.0 - 1e-7}) {
    const double one = std::tan(std::numbers::pi * (p - 0.5)), two = (2.0 * p - 1.0) / std::sqrt(2.0 * p * (1.0 - p));
    // A probability near 1 carries rounding of 1e-16, worth 1e-16/(1 - p) of t.
    const double tolerance = 1e-12 + 1e-14 / std::min(p, 1.0 - p);
    EXPECT_NEAR(student_t_quantile(p, 1.0), one, tolerance * (1.0 + std::abs(one))) << p;
    EXPECT_NEAR(student_t_quantile(p, 2.0), two, tolerance * (1.0 + std::abs(two))) << p;
  }
}

TEST(StudentT, TendsToTheNormalDistribution) {
  // t = z + (z^3 + z)/(4 nu) + O(nu^-2). The logarithms of the gamma function leave 1e-16 nu.
  const double z = 1.959963984540054;
  for (const double dof : {1e4, 1e5, 1e6, 1e7, 9e7, 2e8, 1e15})
    EXPECT_NEAR(student_t_quantile(0.975, dof), z + (z * z * z + z) / (4.0 * dof),
                10.0 / (dof * dof) + 1e-14 * std::min(dof, 1e8) + 1e-8 * (dof > 1e8))
        << dof;
  EXPECT_THROW(student_t_quantile(1.0, 3.0), Error);
}

TEST(RobustScale, IsConsistentAndIgnoresOutliers) {
  RandomStream random(61);
  std::vector<double> r;
  for (int i = 0; i < 40000; ++i) r.push_back(3.0 * random.normal());
  // The median absolute value has a relative standard deviation of 1.17/sqrt(n) = 0.6 %.
  EXPECT_NEAR(robust_scale(r), 3.0, 0.06);  // [numerics E7]
  for (std::size_t i = 0; i < r.size(); i += 10) r[i] = 1e6;
  EXPECT_LT(robust_scale(r), 3.6);
  EXPECT_EQ(median({}), 0.0);
  EXPECT_EQ(median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({4.0, 1.0, 3.0, 2.0}), 2.5);
}

TEST(LagOne, SeesWhatFollowsWhat) {
  RandomStream random(62);
  std::vector<double> white, red;
  double x = 0.0;
  for (int i = 0; i < 20000; ++i) {
    white.push_back(random.normal());
    x = 0.8 * x + white.back();
    red.push_back(x);
  }
  EXPECT_NEAR(lag_one_correlation(white), 0.0, 0.03);  // four standard deviations of 1/sqrt(n)
  EXPECT_NEAR(lag_one_correlation(red), 0.8, 0.03);
  EXPECT_NEAR(lag_one_correlation({1.0, -1.0, 1.0, -1.0}), -0.75, 1e-15);
  EXPECT_EQ(lag_one_correlation({}), 0.0);
}

TEST(CovarianceOf, IsTheInverseOfTheInformation) {
  // [numerics E1] Straight line through x = 0..4: var(intercept) = 0.6, var(slope) = 0.1, covariance -0.2.
  Eigen::MatrixXd J(5, 2);
  for (int i = 0; i < 5; ++i) J.row(i) << 1.0, i;
  const Covariance c = covariance_of(J);
  EXPECT_NEAR(c.covariance(0, 0), 0.6, 1e-14);
  EXPECT_NEAR(c.covariance(1, 1), 0.1, 1e-14);
  EXPECT_NEAR(c.covariance(0, 1), -0.2, 1e-14);
  EXPECT_NEAR(c.correlation(0, 1), -0.2 / std::sqrt(0.06), 1e-13);
  EXPECT_NEAR(c.standard_deviation[0], std::sqrt(0.6), 1e-14);
  EXPECT_TRUE(c.not_determined.empty());
}

TEST(CovarianceOf, PredictsTheScatterOfEstimates) {
  // Monte Carlo on a linear problem: 4000 noisy data sets, each solved exactly.
  RandomStream random(63);
  Eigen::MatrixXd J(30, 3);
  for (int i = 0; i < 30; ++i) J.row(i) << 1.0, 0.1 * i, std::sin(0.4 * i);
  const Covariance c = covariance_of(J);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(J);
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (int trial = 0; trial < 4000; ++trial) {
    Eigen::VectorXd noise(30);
    for (double& value : noise) value = random.normal();
    const Eigen::Vector3d estimate = qr.solve(noise);
    scatter += estimate * estimate.transpose() / 4000.0;
  }
  // A sample variance of 4000 has a relative standard deviation of sqrt(2/4000) = 2.2 %.
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(scatter(i, i) / c.covariance(i, i), 1.0, 0.09);
}

TEST(CovarianceOf, ReturnsWhatTheDataCannotTell) {
  // Only theta0 + theta1 and theta2 are seen.
  Eigen::MatrixXd J(4, 3);
  J << 1.0, 1.0, 0.0, 2.0, 2.0, 1.0, 3.0, 3.0, -1.0, 1.0, 1.0, 4.0;
  const Covariance c = covariance_of(J);
  ASSERT_EQ(c.not_determined.size(), 1u);
  EXPECT_NEAR(std::abs(c.not_determined[0].dot(Eigen::Vector3d(1.0, -1.0, 0.0).normalized())), 1.0, 1e-12);
  EXPECT_TRUE(std::isinf(c.standard_deviation[0]));
  EXPECT_TRUE(std::isinf(c.standard_deviation[1]));
  EXPECT_TRUE(std::isfinite(c.standard_deviation[2]));
  // Fewer residuals than parameters: the rest is not determined either.
  EXPECT_EQ(covariance_of(J.topRows(1)).not_determined.size(), 2u);
  EXPECT_EQ(covariance_of(Eigen::MatrixXd::Zero(3, 2)).not_determined.size(), 2u);
}

TEST(CovarianceOf, KeepsWeakDirectionsThatSquaringWouldLose) {
  // Singular values 1e6 and 0.1: their ratio squared, 1e14, is still resolved.
  const double angle = 0.3;
  Eigen::Matrix2d V;
  V << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  const Eigen::Matrix2d J = Eigen::Vector2d(1e6, 0.1).asDiagonal() * V.transpose();
  const Covariance c = covariance_of(J);
  EXPECT_TRUE(c.not_determined.empty());
  // Rounding of J, 1e-16 of 1e6, is 1e-9 of the weak value.
  EXPECT_NEAR(c.covariance(0, 0) / (100.0 * std::sin(angle) * std::sin(angle)), 1.0, 1e-7);
}

}  // namespace
}  // namespace kdyn::inline numerics
