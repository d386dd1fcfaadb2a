// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/polynomial.hpp"
#include "kdyn/numerics/dense.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline numerics {
namespace {

// Newton's iteration as long as it brings |p| down; a root of the companion matrix is close enough for that.
std::complex<double> polished(const Polynomial& p, std::complex<double> root) {
  double size = std::abs(value_at(p, root));
  for (int i = 0; i < 8 && size > 0.0; ++i) {
    std::complex<double> value = p.back(), slope = 0.0;
    for (std::size_t k = p.size() - 1; k-- > 0;) {
      slope = slope * root + value;
      value = value * root + p[k];
    }
    if (slope == 0.0) break;
    const std::complex<double> next = root - value / slope;
    const double next_size = std::abs(value_at(p, next));
    if (!(next_size < size)) break;
    root = next;
    size = next_size;
  }
  return root;
}

}  // namespace

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum(std::max(a.size(), b.size()), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += a[i];
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  return sum;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  Polynomial product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}

Polynomial operator*(double factor, const Polynomial& a) {
  Polynomial product = a;
  for (double& c : product) c *= factor;
  return product;
}

std::complex<double> value_at(const Polynomial& p, std::complex<double> s) {
  std::complex<double> value = 0.0;
  for (std::size_t k = p.size(); k-- > 0;) value = value * s + p[k];
  return value;
}

std::vector<std::complex<double>> roots_of(const Polynomial& p) {
  std::size_t last = p.size(), first = 0;
  while (last > 0 && p[last - 1] == 0.0) --last;
  while (first < last && p[first] == 0.0) ++first;
  std::vector<std::complex<double>> roots(last == 0 ? 0 : first, 0.0);
  if (last == 0 || last - first < 2) return roots;
  const std::size_t degree = last - first - 1;
  // s = scale * x makes first and last coefficient equal: the companion matrix is then well balanced.
  const double scale = std::pow(std::abs(p[first] / p[last - 1]), 1.0 / static_cast<double>(degree));
  Polynomial scaled(degree + 1);
  for (std::size_t k = 0; k <= degree; ++k)
    scaled[k] = p[first + k] / p[first] * std::pow(scale, static_cast<double>(k));
  const auto n = static_cast<Eigen::Index>(degree);
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) companion(i + 1, i) = 1.0;
  for (Eigen::Index i = 0; i < n; ++i) companion(i, n - 1) = -scaled[static_cast<std::size_t>(i)] / scaled[degree];
  const Eigen::VectorXcd eigenvalues = companion.eigenvalues();
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::complex<double> e = eigenvalues[i];
    if (e.imag() < 0.0) continue;  // comes with its partner
    const std::complex<double> root = scale * polished(scaled, e);
    roots.push_back(root);
    if (e.imag() > 0.0) roots.push_back(std::conj(root));
  }
  return roots;
}

}  // namespace kdyn::inline numerics
