// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/log_gamma.hpp"

namespace kdyn::inline numerics {
namespace {

// Regularised incomplete beta function I_x(a, b) by its continued fraction (Lentz), Abramowitz and Stegun 26.5.8. The
// complement y = 1 - x is given apart, since it cannot be had from x when it is tiny.
double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - incomplete_beta(b, a, y, x);
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log(y)) / a;
  constexpr double tiny = 1e-300;
  double f = 1.0, c = 1.0, d = 0.0;
  for (int i = 0; i <= 20000; ++i) {  // about sqrt(max(a, b)) are needed
    const int m = i / 2;
    double numerator = 1.0;
    if (i > 0)
      numerator = i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                             : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 + numerator * d;
    d = 1.0 / (std::abs(d) < tiny ? tiny : d);
    c = 1.0 + numerator / (std::abs(c) < tiny ? tiny : c);
    f *= c * d;
    if (std::abs(1.0 - c * d) < 1e-15) break;
  }
  return front * (f - 1.0);
}

// [numerics E2] Probability of more than t >= 0.
double student_t_tail(double t, double dof) {
  // Beyond 1e8 the difference to the normal distribution, of order 1/dof, is below what the logarithms of the gamma
  // function leave.
  if (dof > 1e8) return 0.5 * std::erfc(t / std::numbers::sqrt2);
  const double square = t * t;
  return 0.5 * incomplete_beta(0.5 * dof, 0.5, dof / (dof + square), square / (dof + square));
}

}  // namespace

double student_t_quantile(double probability, double dof) {
  demand(probability > 0.0 && probability < 1.0 && dof >= 1.0, "a quantile has 0 < p < 1 and dof >= 1");
  const double tail = std::min(probability, 1.0 - probability);
  double lower = 0.0, upper = 1.0;
  while (student_t_tail(upper, dof) > tail && upper < 1e100) upper *= 2.0;
  for (int i = 0; i < 200 && upper - lower > 1e-15 * upper; ++i) {
    const double middle = 0.5 * (lower + upper);
    (student_t_tail(middle, dof) > tail ? lower : upper) = middle;
  }
  return std::copysign(0.5 * (lower + upper), probability - 0.5);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

double robust_scale(const std::vector<double>& residuals) {
  std::vector<double> size(residuals.size());
  std::transform(residuals.begin(), residuals.end(), size.begin(), [](double r) { return std::abs(r); });
  return 1.482602218505602 * median(std::move(size));
}

double lag_one_correlation(const std::vector<double>& r) {
  double square = 0.0, product = 0.0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    square += r[i] * r[i];
    if (i > 0) product += r[i] * r[i - 1];
  }
  return square > 0.0 ? product / square : 0.0;
}

Covariance covariance_of(const Eigen::MatrixXd& jacobian, double insensitive) {
  const Eigen::Index n = jacobian.cols();
  Covariance out;
  out.covariance.setZero(n, n);
  out.standard_deviation.setZero(n);
  // J = Q R has the singular values of R, a small matrix; J^T J would have them squared and lose half the digits.
  Eigen::MatrixXd small = Eigen::MatrixXd::Zero(n, n);
  const Eigen::Index rows = std::min(n, jacobian.rows());
  small.topRows(rows) =
      Eigen::HouseholderQR<Eigen::MatrixXd>(jacobian).matrixQR().topRows(rows).triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(small, Eigen::ComputeFullV);
  const Eigen::VectorXd& change = svd.singularValues();
  const Eigen::MatrixXd& V = svd.matrixV();
  const double floor = std::max(insensitive, 1e-12 * (n > 0 ? change[0] : 0.0));
  std::vector<bool> open(static_cast<std::size_t>(n), false);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (change[i] <= floor) {
      out.not_determined.push_back(V.col(i));
      for (Eigen::Index j = 0; j < n; ++j)
        if (std::abs(V(j, i)) > 1e-3) open[static_cast<std::size_t>(j)] = true;
    } else {
      out.covariance += V.col(i) * V.col(i).transpose() / (change[i] * change[i]);
    }
  }
  out.correlation.setIdentity(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    out.standard_deviation[i] =
        open[static_cast<std::size_t>(i)] ? std::numeric_limits<double>::infinity() : std::sqrt(out.covariance(i, i));
    for (Eigen::Index j = 0; j < n; ++j) {
      const double scale = std::sqrt(out.covariance(i, i) * out.covariance(j, j));
      if (i != j && scale > 0.0) out.correlation(i, j) = out.covariance(i, j) / scale;
    }
  }
  return out;
}

}  // namespace kdyn::inline numerics
