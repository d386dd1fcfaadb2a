// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "kdyn/base/error.hpp"

namespace kdyn::inline sysid {

double mac(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b) {
  const double aa = a.squaredNorm(), bb = b.squaredNorm();
  return aa > 0.0 && bb > 0.0 ? std::norm(a.dot(b)) / (aa * bb) : 0.0;
}

Eigen::MatrixXd mac_matrix(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b) {
  Eigen::MatrixXd out(a.cols(), b.cols());
  for (Eigen::Index i = 0; i < a.cols(); ++i)
    for (Eigen::Index j = 0; j < b.cols(); ++j) out(i, j) = mac(a.col(i), b.col(j));
  return out;
}

double phase_collinearity(const Eigen::VectorXcd& shape) {
  // [sysid E10]: eigenvalues of the 2 x 2 covariance of (Re, Im); (l1 - l2)^2/(l1 + l2)^2 without forming them.
  const double rr = shape.real().squaredNorm(), ii = shape.imag().squaredNorm(), ri = shape.real().dot(shape.imag());
  const double sum = rr + ii;
  return sum > 0.0 ? ((rr - ii) * (rr - ii) + 4.0 * ri * ri) / (sum * sum) : 0.0;
}

Eigen::VectorXcd as_real_as_possible(const Eigen::VectorXcd& shape) {
  const std::complex<double> sum = shape.array().square().sum();  // [sysid E11]
  Eigen::VectorXcd out = shape * std::polar(1.0, -0.5 * std::arg(sum));
  Eigen::Index largest = 0;
  out.real().cwiseAbs().maxCoeff(&largest);
  if (out[largest].real() < 0.0) out = -out;
  return out;
}

Eigen::VectorXd comac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b) {
  demand(a.rows() == b.rows() && a.cols() == b.cols(),
         "CoMAC compares equally many shapes of equally many degrees of freedom");
  Eigen::VectorXd both = Eigen::VectorXd::Zero(a.rows()), aa = both, bb = both;
  for (Eigen::Index r = 0; r < a.cols(); ++r) {
    // Shapes are compared at equal norm: a strong mode shall not hide a weak one.
    const Eigen::VectorXcd x = a.col(r).normalized(), y = b.col(r).normalized();
    const std::complex<double> align = y.dot(x);
    const std::complex<double> turn = std::abs(align) > 0.0 ? align / std::abs(align) : 1.0;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      both[i] += (std::conj(turn * y[i]) * x[i]).real();
      aa[i] += std::norm(x[i]);
      bb[i] += std::norm(y[i]);
    }
  }
  Eigen::VectorXd out(a.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    out[i] = aa[i] > 0.0 && bb[i] > 0.0 ? both[i] * both[i] / (aa[i] * bb[i]) : 0.0;
  return out;
}

std::vector<int> pair_by_mac(const Eigen::MatrixXd& matrix) {
  struct Entry {
    double value;
    Eigen::Index row, column;
  };
  std::vector<Entry> entries;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) entries.push_back({matrix(i, j), i, j});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.value > b.value; });
  std::vector<int> partner(static_cast<std::size_t>(matrix.rows()), -1);
  std::vector<bool> taken(static_cast<std::size_t>(matrix.cols()), false);
  for (const Entry& e : entries)
    if (partner[static_cast<std::size_t>(e.row)] < 0 && !taken[static_cast<std::size_t>(e.column)]) {
      partner[static_cast<std::size_t>(e.row)] = static_cast<int>(e.column);
      taken[static_cast<std::size_t>(e.column)] = true;
    }
  return partner;
}

}  // namespace kdyn::inline sysid
