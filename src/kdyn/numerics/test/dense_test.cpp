// SPDX-License-Identifier: Apache-2.0
// Solvers taken from the library instead of compiled here. Oracle: each decomposition multiplied out again gives the
// matrix.
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/thin_svd.hpp"

#include <cmath>
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline numerics {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Above the sizes (16, 32, 48) at which Eigen changes from plain to blocked code. Rounding of a product of this size:
// some 100 eps.
constexpr Eigen::Index size = 70;
constexpr double tolerance = 1e-11;

MatrixXd some_matrix() {
  MatrixXd out(size, size);
  for (Eigen::Index i = 0; i < out.size(); ++i)
    out.data()[i] = std::sin(1.0 + 0.37 * static_cast<double>(i * i % 1009));
  return out;
}

MatrixXd symmetric() {
  const MatrixXd a = some_matrix();
  return a + a.transpose();
}

MatrixXd positive() {
  const MatrixXd a = some_matrix();
  return a * a.transpose() + MatrixXd::Identity(size, size);
}

double misfit(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

TEST(Dense, SymmetricEigenproblem) {
  const MatrixXd a = symmetric(), m = positive();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> plain(a), expression(0.5 * (a + a.transpose()));
  EXPECT_LT(misfit(plain.eigenvectors() * plain.eigenvalues().asDiagonal() * plain.eigenvectors().transpose(), a),
            tolerance);
  EXPECT_EQ(plain.eigenvalues(), expression.eigenvalues());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> both(a, m);
  EXPECT_LT(misfit(m * both.eigenvectors() * both.eigenvalues().asDiagonal(), a * both.eigenvectors()),
            1e-9);  // times the condition of m
}

TEST(Dense, GeneralEigenproblem) {
  const MatrixXd a = some_matrix();
  const Eigen::EigenSolver<MatrixXd> eigen(a);
  const MatrixXcd v = eigen.eigenvectors(), left = a.cast<std::complex<double>>() * v,
                  right = v * eigen.eigenvalues().asDiagonal();
  EXPECT_LT((left - right).norm() / left.norm(), tolerance);
  const MatrixXcd c = a + std::complex<double>(0.0, 1.0) * symmetric();
  const Eigen::ComplexEigenSolver<MatrixXcd> complex(c);
  EXPECT_LT(
      (c * complex.eigenvectors() - complex.eigenvectors() * complex.eigenvalues().asDiagonal()).norm() / c.norm(),
      tolerance);
}

TEST(Dense, SingularValues) {
  const MatrixXd a = some_matrix().leftCols(40);
  const Eigen::JacobiSVD<MatrixXd> jacobi(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  EXPECT_LT(misfit(jacobi.matrixU() * jacobi.singularValues().asDiagonal() * jacobi.matrixV().transpose(), a),
            tolerance);
}

// Eigen's Jacobi rotations are the independent witness, for tall, wide and rank-deficient matrices.
TEST(ThinSvd, AgreesWithJacobi) {
  MatrixXd tall = some_matrix().leftCols(40);
  tall.col(7) = tall.col(3) - tall.col(5);
  for (const MatrixXd& a : {tall, MatrixXd(tall.transpose()), some_matrix()}) {
    const kdyn::ThinSvd svd = kdyn::thin_svd(a);
    const Eigen::JacobiSVD<MatrixXd> jacobi(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::Index k = std::min(a.rows(), a.cols());
    EXPECT_LT((svd.values - jacobi.singularValues()).norm() / svd.values[0], tolerance);
    EXPECT_LT(misfit(svd.U * svd.values.asDiagonal() * svd.V.transpose(), a), tolerance);
    EXPECT_LT((svd.U.transpose() * svd.U - MatrixXd::Identity(k, k)).norm(), tolerance);
    EXPECT_LT((svd.V.transpose() * svd.V - MatrixXd::Identity(k, k)).norm(), tolerance);
  }
  MatrixXd broken = tall;
  broken(2, 3) = std::nan("");
  EXPECT_TRUE(std::isnan(kdyn::thin_svd(broken).values[0]));
  EXPECT_EQ(kdyn::thin_svd(MatrixXd(0, 4)).values.size(), 0);
}

TEST(Dense, Factors) {
  const MatrixXd a = some_matrix() + 5.0 * MatrixXd::Identity(size, size), m = positive(), rhs = some_matrix();
  const VectorXd b = rhs.col(0);
  EXPECT_LT(misfit(a * a.partialPivLu().solve(rhs), rhs), 1e-10);
  EXPECT_LT(misfit(a * a.fullPivLu().solve(rhs), rhs), 1e-10);
  EXPECT_LT(misfit(a * a.colPivHouseholderQr().solve(b), b), 1e-10);
  EXPECT_LT(misfit(m * m.llt().solve(b), b), 1e-9);
  EXPECT_LT(misfit(m * m.ldlt().solve(b), b), 1e-9);
  EXPECT_LT(misfit(m * m.ldlt().solve(rhs), rhs), 1e-9);
  const MatrixXd q = a.householderQr().householderQ() * MatrixXd::Identity(size, size);
  EXPECT_LT((q.transpose() * q - MatrixXd::Identity(size, size)).norm(), tolerance);
}

#ifdef KDYN_EIGEN_THROWS
TEST(Dense, BrokenAssumptionIsAnInternalError) {
  const MatrixXd a = some_matrix();
  const VectorXd b = VectorXd::Ones(size + 1);
  try {
    const VectorXd product = a * b;
    FAIL() << "a product of sizes that do not fit was computed: " << product.size();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_NE(error.message().find("invalid matrix product"), std::string::npos) << error.message();
  }
}
#endif

}  // namespace
}  // namespace kdyn::inline numerics
