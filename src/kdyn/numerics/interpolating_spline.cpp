// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/interpolating_spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline numerics {
namespace {

constexpr int highest_degree = 5;
using Basis = std::array<double, highest_degree + 1>;

// The degree + 1 B-splines that are not zero on the piece from knots[span], at x (Cox, de Boor).
Basis basis_at(const std::vector<double>& knots, int p, std::size_t span, double x) {
  Basis out{};
  std::array<double, highest_degree + 1> left{}, right{};
  out[0] = 1.0;
  for (int j = 1; j <= p; ++j) {
    const auto d = static_cast<std::size_t>(j);
    left[d] = x - knots[span + 1 - d];
    right[d] = knots[span + d] - x;
    double saved = 0.0;
    for (std::size_t r = 0; r < d; ++r) {
      const double part = out[r] / (right[r + 1] + left[d - r]);
      out[r] = saved + right[r + 1] * part;
      saved = left[d - r] * part;
    }
    out[d] = saved;
  }
  return out;
}

std::size_t find_span(const std::vector<double>& knots, int p, std::size_t count, double x) {
  const auto first = knots.begin() + p, last = knots.begin() + static_cast<std::ptrdiff_t>(count);
  const auto next = std::upper_bound(first + 1, last, x);
  return static_cast<std::size_t>(next - knots.begin()) - 1;
}

// Rows of the collocation matrix have their degree + 1 entries around the diagonal, and the matrix is totally positive:
// elimination without exchanging rows is stable (de Boor, Pinkus 1977).
std::vector<double> solve_banded(std::vector<std::vector<double>> band, std::vector<double> y, int half) {
  const auto n = static_cast<std::ptrdiff_t>(y.size());
  const auto at = [&](std::ptrdiff_t row, std::ptrdiff_t column) -> double& {
    return band[static_cast<std::size_t>(row)][static_cast<std::size_t>(column - row + half)];
  };
  for (std::ptrdiff_t k = 0; k < n; ++k)
    for (std::ptrdiff_t i = k + 1; i < std::min(n, k + half + 1); ++i) {
      const double factor = at(i, k) / at(k, k);
      if (factor == 0.0) continue;
      for (std::ptrdiff_t j = k; j < std::min(n, k + half + 1); ++j) at(i, j) -= factor * at(k, j);
      y[static_cast<std::size_t>(i)] -= factor * y[static_cast<std::size_t>(k)];
    }
  for (std::ptrdiff_t k = n - 1; k >= 0; --k) {
    double& value = y[static_cast<std::size_t>(k)];
    for (std::ptrdiff_t j = k + 1; j < std::min(n, k + half + 1); ++j)
      value -= at(k, j) * y[static_cast<std::size_t>(j)];
    value /= at(k, k);
  }
  return y;
}

}  // namespace

InterpolatingSpline::InterpolatingSpline(const Curve& points) {
  const std::size_t n = points.size();
  demand(n > 0, "a spline has points");
  for (std::size_t i = 1; i < n; ++i) demand(points[i].first > points[i - 1].first, "the points of a spline ascend");
  lower_ = points.front().first, upper_ = points.back().first;
  degree_ = static_cast<int>(std::min<std::size_t>(n - 1, highest_degree));
  const auto d = static_cast<std::size_t>(degree_);
  // Not a knot: as many points next to each end are no knots as the degree leaves open (two of degree five); of a
  // polynomial all are.
  const std::size_t skipped = degree_ == highest_degree ? 3 : n;
  knots_.assign(d + 1, lower_);
  for (std::size_t i = skipped; i + skipped < n; ++i) knots_.push_back(points[i].first);
  knots_.insert(knots_.end(), d + 1, upper_);
  const int half = 2 * highest_degree;
  std::vector<std::vector<double>> band(n, std::vector<double>(static_cast<std::size_t>(2 * half + 1), 0.0));
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t span = span_of(points[i].first);
    const Basis basis = basis_at(knots_, degree_, span, points[i].first);
    for (std::size_t k = 0; k <= d; ++k)
      if (basis[k] != 0.0) band[i][span - d + k + static_cast<std::size_t>(half) - i] = basis[k];
    y[i] = points[i].second;
  }
  coefficients_ = solve_banded(std::move(band), std::move(y), half);
}

std::size_t InterpolatingSpline::span_of(double x) const {
  return find_span(knots_, degree_, knots_.size() - static_cast<std::size_t>(degree_) - 1, x);
}

InterpolatingSpline::Values InterpolatingSpline::operator()(double x) const {
  const std::size_t span = span_of(x);
  const auto d = static_cast<std::size_t>(degree_);
  std::array<double, highest_degree + 1> c{};
  for (std::size_t k = 0; k <= d; ++k) c[k] = coefficients_[span - d + k];
  Values out;
  for (int order = 0; order <= 3; ++order) {
    const int p = degree_ - order;
    double sum = 0.0;
    if (p >= 0) {
      const Basis basis = basis_at(knots_, p, span, x);
      for (std::size_t k = 0; k <= static_cast<std::size_t>(p); ++k) sum += basis[k] * c[k];
    }
    (order == 0 ? out.value : order == 1 ? out.slope : order == 2 ? out.second : out.third) = sum;
    // Coefficients of the derivative, a spline of the next lower p on the same knots.
    for (std::size_t k = 0; p > 0 && k < static_cast<std::size_t>(p); ++k) {
      const std::size_t first = span - static_cast<std::size_t>(p) + k + 1;
      c[k] = p * (c[k + 1] - c[k]) / (knots_[first + static_cast<std::size_t>(p)] - knots_[first]);
    }
  }
  return out;
}

Curve smoothed(const Curve& points, double keep_hz) {
  demand(keep_hz > 0.0, "a frequency is above zero");
  // (1 + u) exp(-u) with u = (2 pi f s)^2/2 is what a sine keeps; 0.98 at u = 0.214.
  const double s = std::sqrt(2.0 * 0.214) / (two_pi * keep_hz), reach = 4.0 * s;
  Curve out;
  out.reserve(points.size());
  std::size_t from = 0;
  for (const auto& [x, y] : points) {
    while (points[from].first < x - reach) ++from;
    std::array<std::array<double, 4>, 4> A{};
    std::array<double, 4> b{};
    std::size_t count = 0;
    for (std::size_t i = from; i < points.size() && points[i].first <= x + reach; ++i, ++count) {
      const double r = (points[i].first - x) / s, weight = std::exp(-0.5 * r * r);
      const std::array<double, 4> row = {1.0, r, r * r, r * r * r};
      for (std::size_t j = 0; j < 4; ++j) {
        b[j] += weight * row[j] * points[i].second;
        for (std::size_t k = 0; k < 4; ++k) A[j][k] += weight * row[j] * row[k];
      }
    }
    if (count < 5) {  // too few neighbours to smooth anything
      out.emplace_back(x, y);
      continue;
    }
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t i = k + 1; i < 4; ++i) {
        const double factor = A[i][k] / A[k][k];
        for (std::size_t j = k; j < 4; ++j) A[i][j] -= factor * A[k][j];
        b[i] -= factor * b[k];
      }
    for (std::size_t k = 4; k-- > 0;) {
      for (std::size_t j = k + 1; j < 4; ++j) b[k] -= A[k][j] * b[j];
      b[k] /= A[k][k];
    }
    out.emplace_back(x, b[0]);
  }
  return out;
}

double roughness(const Curve& points) {
  if (points.size() < 5) return 0.0;
  double second = 0.0, fourth = 0.0;
  for (std::size_t i = 2; i + 2 < points.size(); ++i) {
    const auto y = [&](std::size_t k) { return points[k].second; };
    const double two = y(i - 1) - 2.0 * y(i) + y(i + 1);
    const double four = y(i - 2) - 4.0 * y(i - 1) + 6.0 * y(i) - 4.0 * y(i + 1) + y(i + 2);
    second += two * two, fourth += four * four;
  }
  return second > 0.0 ? std::sqrt(fourth / second) : 0.0;
}

}  // namespace kdyn::inline numerics
