// SPDX-License-Identifier: Apache-2.0
// Oracle: the Karush-Kuhn-Tucker conditions, which a non-negative least-squares solution satisfies and nothing else
// does.
#include "kdyn/numerics/nnls.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::inline numerics {
namespace {

TEST(NonNegativeLeastSquares, SatisfiesItsOptimalityConditionsOnRandomProblems) {
  RandomStream random(7);
  int active = 0;
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::MatrixXd A(20, 6);
    Eigen::VectorXd b(20);
    for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = random.normal();
    for (Eigen::Index i = 0; i < b.size(); ++i) b[i] = random.normal();
    const Eigen::VectorXd x = non_negative_least_squares(A, b);
    const Eigen::VectorXd gradient = A.transpose() * (A * x - b);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      EXPECT_GE(x[i], 0.0);
      EXPECT_GE(gradient[i], -1e-10);               // no further descent
      EXPECT_NEAR(gradient[i] * x[i], 0.0, 1e-10);  // complementary
      active += x[i] == 0.0;
    }
  }
  EXPECT_GT(active, 50);  // the constraints really act in these problems
}

TEST(NonNegativeLeastSquares, IsPlainLeastSquaresWhenThatIsPositive) {
  Eigen::MatrixXd A(3, 2);
  A << 1, 0, 0, 1, 1, 1;
  const Eigen::Vector2d truth(2.0, 3.0);
  EXPECT_LT((non_negative_least_squares(A, A * truth) - truth).norm(), 1e-14);
}

// The conditions of Karush, Kuhn and Tucker decide: x >= 0, gradient <= 0 where x = 0 and 0 where x > 0.
TEST(NonnegativeLeastSquares, MeetsTheOptimalityConditions) {
  Eigen::MatrixXd A(6, 4);
  A << 1, 2, 0, 1, 0, 1, 3, 1, 2, 0, 1, 1, 1, 1, 1, 1, 0, 2, 1, 3, 3, 1, 0, 2;
  Eigen::VectorXd b(6);
  b << 1, -2, 3, 0.5, -1, 2;
  const Eigen::VectorXd x = non_negative_least_squares(A, b);
  const Eigen::VectorXd gradient = A.transpose() * (b - A * x);
  for (Eigen::Index j = 0; j < 4; ++j) {
    EXPECT_GE(x[j], 0.0);
    EXPECT_LE(gradient[j], 1e-10);
    if (x[j] > 0.0) {
      EXPECT_NEAR(gradient[j], 0.0, 1e-10);
    }
  }
  // An unconstrained minimum that is positive anyway is returned as it is.
  const Eigen::VectorXd known = (Eigen::VectorXd(4) << 0.5, 1.0, 2.0, 0.25).finished();
  EXPECT_LT((non_negative_least_squares(A, A * known) - known).norm(), 1e-11);
}

}  // namespace
}  // namespace kdyn::inline numerics
