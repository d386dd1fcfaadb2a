// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/monotone_curve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn {

MonotoneCurve::MonotoneCurve(const std::vector<std::pair<double, double>>& points, const std::string& where) {
  if (points.size() < 2)
    throw_bad_input(where, fmt::format("a curve needs at least two points, {} given", points.size()), "give [[x, y], [x, y], ...]");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].first) || !std::isfinite(points[i].second))
      throw_bad_input(fmt::format("{}[{}]", where, i), "a curve point is not finite", "remove the point");
    if (i > 0 && !(points[i].first > points[i - 1].first && points[i].second > points[i - 1].second))
      throw_bad_input(fmt::format("{}[{}]", where, i),
                      fmt::format("the curve does not rise from ({:g}, {:g}) to ({:g}, {:g})", points[i - 1].first, points[i - 1].second,
                                  points[i].first, points[i].second),
                      "sort by displacement and remove or smooth points so that both columns increase");
    x_.push_back(points[i].first);
    y_.push_back(points[i].second);
  }
  points_ = x_.size();
  const std::size_t n = points_;

  std::vector<double> h(n - 1), secant(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x_[i + 1] - x_[i];
    secant[i] = (y_[i + 1] - y_[i]) / h[i];
  }
  // [numerics E3] Weighted harmonic mean inside (monotone by construction); one-sided three-point formula, limited, at the ends.
  slope_.resize(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double w1 = 2.0 * h[i] + h[i - 1], w2 = h[i] + 2.0 * h[i - 1];
    slope_[i] = (w1 + w2) / (w1 / secant[i - 1] + w2 / secant[i]);
  }
  const auto end_slope = [](double h0, double h1, double s0, double s1) {
    return std::clamp(((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1), 1e-3 * s0, 3.0 * s0);
  };
  slope_[0] = n > 2 ? end_slope(h[0], h[1], secant[0], secant[1]) : secant[0];
  slope_[n - 1] = n > 2 ? end_slope(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]) : secant[0];

  c2_.resize(n - 1);
  c3_.resize(n - 1);
  area_.assign(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    c2_[i] = (3.0 * secant[i] - 2.0 * slope_[i] - slope_[i + 1]) / h[i];
    c3_[i] = (slope_[i] + slope_[i + 1] - 2.0 * secant[i]) / (h[i] * h[i]);
    area_[i + 1] = area_[i] + h[i] * (y_[i] + h[i] * (slope_[i] / 2.0 + h[i] * (c2_[i] / 3.0 + h[i] * c3_[i] / 4.0)));
  }
  // The two linear ends.
  c2_.insert(c2_.end(), 2, 0.0);
  c3_.insert(c3_.end(), 2, 0.0);
  x_.push_back(x_.front());
  y_.push_back(y_.front());
  slope_.push_back(slope_.front());
  area_.push_back(0.0);
}

std::size_t MonotoneCurve::interval(double x) const {
  if (x < x_.front()) return points_;
  const auto last = x_.begin() + static_cast<std::ptrdiff_t>(points_);
  return static_cast<std::size_t>(std::upper_bound(x_.begin(), last, x) - x_.begin()) - 1;
}

std::vector<MonotoneCurve::Piece> MonotoneCurve::pieces() const {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < x_.size(); ++i) out.push_back({x_[i], y_[i], slope_[i], c2_[i], c3_[i]});
  return out;
}

double MonotoneCurve::inverse(double y) const {
  const double first = y_.front(), last = y_[points_ - 1];
  if (y <= first) return x_.front() + (y - first) / slope_.front();
  if (y >= last) return x_[points_ - 1] + (y - last) / slope_[points_ - 1];
  const auto end = y_.begin() + static_cast<std::ptrdiff_t>(points_);
  const auto i = static_cast<std::size_t>(std::upper_bound(y_.begin(), end, y) - y_.begin()) - 1;
  double lower = x_[i], upper = x_[i + 1], x = lower + (y - y_[i]) / (y_[i + 1] - y_[i]) * (upper - lower);
  for (int iteration = 0; iteration < 100; ++iteration) {  // Newton kept inside the bracket by bisection
    const double residual = value(x) - y;
    (residual > 0.0 ? upper : lower) = x;
    const double k = slope(x);
    double next = k > 0.0 ? x - residual / k : lower;
    if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
    if (std::abs(next - x) <= 1e-15 * (std::abs(x) + (x_[i + 1] - x_[i]))) return next;
    x = next;
  }
  return x;
}

}  // namespace kdyn
