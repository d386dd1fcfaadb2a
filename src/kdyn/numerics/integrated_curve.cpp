// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/integrated_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/numerics/interpolating_spline.hpp"

namespace kdyn::inline numerics {
namespace {

using Pair = std::array<double, 2>;

// One step of y'' = input - sqrt(2) w y' - w^2 y by Runge-Kutta, the input known at both ends and in the middle.
Pair advanced(const Pair& y, double h, double w, double from, double middle, double to) {
  const auto slope = [w](const Pair& at, double input) {
    return Pair{at[1], input - std::sqrt(2.0) * w * at[1] - w * w * at[0]};
  };
  const auto moved = [&](const Pair& k, double by) { return Pair{y[0] + by * k[0], y[1] + by * k[1]}; };
  const Pair k1 = slope(y, from), k2 = slope(moved(k1, 0.5 * h), middle), k3 = slope(moved(k2, 0.5 * h), middle),
             k4 = slope(moved(k3, h), to);
  Pair out = y;
  for (std::size_t i = 0; i < 2; ++i) out[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
  return out;
}

}  // namespace

// [numerics E16]
Curve integrated(const Curve& points, int times, double high_pass_hz) {
  demand(points.size() >= 6 && high_pass_hz > 0.0 && (times == 1 || times == 2), "a record can be integrated");
  const double w = two_pi * high_pass_hz;
  double area = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i)
    area += 0.5 * (points[i].second + points[i - 1].second) * (points[i].first - points[i - 1].first);
  const double begin = points.front().first, end = points.back().first, mean = area / (end - begin);
  Curve centred = points;
  for (auto& point : centred) point.second -= mean;
  const InterpolatingSpline spline(centred);
  // Times of the record, and a tail after it over which the forward filter comes to rest.
  std::vector<double> t;
  for (const auto& point : points) t.push_back(point.first);
  const double interval = (end - begin) / static_cast<double>(points.size() - 1), tail = 3.0 / high_pass_hz;
  const double step = std::min(tail / 100.0, std::max(interval, tail / 1e5));
  for (double s = step; s < tail; s += step) t.push_back(end + s);

  // Forwards; steps of the record are divided where they are long beside the filter.
  std::vector<double> y(t.size(), 0.0);
  Pair state = {0.0, 0.0};
  const auto walk = [&](double from, double to, const auto& signal) {
    const int pieces = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) * w / 0.05)));
    const double h = (to - from) / pieces;
    for (int k = 0; k < pieces; ++k) {
      const double a = from + k * h;
      state = advanced(state, std::abs(h), w, signal(a), signal(a + 0.5 * h), signal(a + h));
    }
  };
  const std::size_t shown = times == 2 ? 0 : 1;
  for (std::size_t i = 1; i < t.size(); ++i) {
    // A record that ends away from 0 ends with a jump: the step before it sees the record, the one behind it does not.
    if (t[i] <= end)
      walk(t[i - 1], t[i], [&](double x) { return spline(x).value; });
    else
      walk(t[i - 1], t[i], [](double) { return 0.0; });
    y[i] = state[shown];
  }

  // Backwards: z = v'' with v'' + sqrt(2) w v' + w^2 v = y in reversed time.
  Curve forward;
  for (std::size_t i = 0; i < t.size(); ++i) forward.emplace_back(t[i], y[i]);
  const InterpolatingSpline between(forward);
  state = {0.0, 0.0};
  Curve out = points;
  for (std::size_t i = t.size(); i-- > 0;) {
    if (i + 1 < t.size()) walk(t[i + 1], t[i], [&](double x) { return between(x).value; });
    if (i < out.size()) out[i].second = y[i] - std::sqrt(2.0) * w * state[1] - w * w * state[0];
  }
  return out;
}

}  // namespace kdyn::inline numerics
