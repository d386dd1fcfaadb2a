// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/road.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr double pi = std::numbers::pi;

struct Wave {
  double omega, left_cos, left_sin, right_cos, right_sin;
};

}  // namespace

Road random_road(const RoadOptions& o) {
  demand(o.speed > 0.0 && o.rate_hz > 0.0 && o.length_s > 0.0, "a road is driven");
  RandomStream random(o.seed);
  // Wave numbers evenly in the logarithm; each with a little of chance so that the profile does not repeat.
  constexpr int count = 400;
  const double lowest = 1.0 / o.longest_wave_m, highest = std::min(1.0 / o.shortest_wave_m, 0.4 * o.rate_hz / o.speed);
  demand(highest > lowest, "a road has waves");
  const double ratio = std::pow(highest / lowest, 1.0 / count);
  std::vector<Wave> waves;
  for (int i = 0; i < count; ++i) {
    const double from = lowest * std::pow(ratio, i), width = from * (ratio - 1.0), n = from + width * random.uniform();
    // [vehicle E30] The two tracks agree in long waves.
    const double amplitude = std::sqrt(2.0 * o.roughness * std::pow(n / 0.1, -2.0) * width);
    const double shared = 1.0 / (1.0 + n * n * o.track * o.track), own = std::sqrt(1.0 - shared * shared);
    const double p = 2.0 * pi * random.uniform(), q = 2.0 * pi * random.uniform();
    waves.push_back({2.0 * pi * n * o.speed, amplitude * std::cos(p), amplitude * std::sin(p),
                     amplitude * (shared * std::cos(p) + own * std::cos(q)),
                     amplitude * (shared * std::sin(p) + own * std::sin(q))});
  }
  Road road;
  road.interval = 1.0 / o.rate_hz;
  const auto samples = static_cast<Eigen::Index>(std::llround(o.length_s * o.rate_hz));
  road.height.setZero(samples, 4);
  road.velocity.setZero(samples, 4);
  const double delay = o.wheelbase / o.speed;
  for (int axle = 0; axle < 2; ++axle)
    for (Eigen::Index k = 0; k < samples; ++k) {
      const double t = static_cast<double>(k) * road.interval - (axle == 1 ? delay : 0.0);
      double left = 0.0, right = 0.0, left_rate = 0.0, right_rate = 0.0;
      for (const Wave& w : waves) {
        const double c = std::cos(w.omega * t), s = std::sin(w.omega * t);
        left += w.left_cos * c + w.left_sin * s;
        right += w.right_cos * c + w.right_sin * s;
        left_rate += w.omega * (w.left_sin * c - w.left_cos * s);
        right_rate += w.omega * (w.right_sin * c - w.right_cos * s);
      }
      // Smooth rise and fall over fade_s at the ends, with its derivative.
      const double now = static_cast<double>(k) * road.interval, to_end = o.length_s - now,
                   near = std::min(now, to_end);
      double fade = 1.0, fade_rate = 0.0;
      if (near < o.fade_s) {
        fade = 0.5 - 0.5 * std::cos(pi * near / o.fade_s);
        fade_rate = 0.5 * pi / o.fade_s * std::sin(pi * near / o.fade_s) * (now < to_end ? 1.0 : -1.0);
      }
      road.height(k, 2 * axle) = fade * left;
      road.height(k, 2 * axle + 1) = fade * right;
      road.velocity(k, 2 * axle) = fade * left_rate + fade_rate * left;
      road.velocity(k, 2 * axle + 1) = fade * right_rate + fade_rate * right;
    }
  return road;
}

void add_obstacle(Road& road, const RoadOptions& o, double at_s, double height, double length_m, bool left,
                  bool right) {
  const double duration = length_m / o.speed, omega = 2.0 * pi / duration;
  for (int wheel = 0; wheel < 4; ++wheel) {
    if (!(wheel % 2 == 0 ? left : right)) continue;
    const double start = at_s + (wheel >= 2 ? o.wheelbase / o.speed : 0.0);
    for (Eigen::Index k = 0; k < road.height.rows(); ++k) {
      const double t = static_cast<double>(k) * road.interval - start;
      if (t < 0.0 || t > duration) continue;
      // A versed sine: no step in slope, as a tyre of finite size sees it.
      road.height(k, wheel) += 0.5 * height * (1.0 - std::cos(omega * t));
      road.velocity(k, wheel) += 0.5 * height * omega * std::sin(omega * t);
    }
  }
}

}  // namespace kdyn::inline vehicle
