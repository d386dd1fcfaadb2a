// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/lscf.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::inline sysid {

Lscf::Lscf(const FrfMatrix& frf, int max_order) {
  const Eigen::Index N = frf.lines(), n = std::min<Eigen::Index>(max_order / 2, N / 3);
  omega_low_ = frf.omega[0];
  // A little more than the band: the last line does not fall on the first one's image.
  omega_span_ = 1.02 * (frf.omega[N - 1] - frf.omega[0]);
  Eigen::MatrixXcd X(N, n + 1);
  for (Eigen::Index k = 0; k < N; ++k)
    for (Eigen::Index j = 0; j <= n; ++j)
      X(k, j) = std::polar(1.0, -std::numbers::pi * static_cast<double>(j) * (frf.omega[k] - omega_low_) / omega_span_);
  normal_ = Eigen::MatrixXcd::Zero(n + 1, n + 1);
  for (Eigen::Index c = 0; c < frf.values.cols(); ++c) {
    // Linearised least squares weigh a channel by its square: equal norms let every sensor speak.
    Eigen::VectorXd root = Eigen::VectorXd::Constant(N, 1.0 / std::max(frf.values.col(c).norm(), 1e-300));
    if (frf.weight.size() > 0) root = root.cwiseProduct(frf.weight.col(c).cwiseSqrt());
    const Eigen::MatrixXcd A = root.asDiagonal() * X;
    const Eigen::MatrixXcd B = frf.values.col(c).asDiagonal() * A;
    // [sysid E16]: elimination of the numerator is a projection.
    const Eigen::MatrixXcd Q = first_columns_of_q(A);
    const Eigen::MatrixXcd left = B - product(Q, adjoint_product(Q, B));
    normal_ += adjoint_product(left, left);
  }
}

OrderPoles Lscf::poles(int order) const {
  const Eigen::Index n = std::min<Eigen::Index>(std::max(order / 2, 1), normal_.rows() - 1);
  // d_0 = 1, the others from the normal equations of the lower degree (leading block).
  const Eigen::VectorXcd d = solved(normal_.block(1, 1, n, n), -normal_.block(1, 0, n, 1));
  OrderPoles out;
  out.order = order;
  // Roots of d_n z^n + ... + d_1 z + 1 are the inverses of the eigenvalues of the companion matrix of z^n + d_1 z^(n-1)
  // + ... + d_n.
  Eigen::MatrixXcd companion = Eigen::MatrixXcd::Zero(n, n);
  companion.row(0) = -d.transpose();
  if (n > 1) companion.diagonal(-1).setOnes();
  const Eigen::ComplexEigenSolver<Eigen::MatrixXcd> eigen(companion, false);
  std::vector<std::complex<double>> kept;
  for (const std::complex<double>& inverse : eigen.eigenvalues()) {
    if (!(std::abs(inverse) > 1e-12)) continue;
    // z = exp(-(s - i omega_0) pi/span): s = i omega_0 - log(z) span/pi, with log z = -log(inverse).
    const std::complex<double> s =
        std::complex<double>(0.0, omega_low_) + std::log(inverse) * omega_span_ / std::numbers::pi;
    if (s.imag() > 0.0) kept.push_back(s);
  }
  out.poles = Eigen::Map<const Eigen::VectorXcd>(kept.data(), static_cast<Eigen::Index>(kept.size()));
  out.shapes.resize(0, out.poles.size());
  return out;
}

}  // namespace kdyn::inline sysid
