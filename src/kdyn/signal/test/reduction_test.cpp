// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/reduction.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::inline signal {
namespace {

constexpr double pi = std::numbers::pi;

struct Signals {
  std::vector<double> u, f;
};

// `cycles` cycles of n samples; functions of the phase.
template <class U, class F>
Signals sample(int n, int cycles, U u, F f) {
  Signals s;
  for (int i = 0; i < n * cycles; ++i) {
    const double phase = 2.0 * pi * i / n;
    s.u.push_back(u(phase));
    s.f.push_back(f(phase));
  }
  return s;
}

TEST(ReduceSine, IsExactForASineWithOffsetAndHarmonics) {
  // [signal E1] Harmonics below half the number of samples drop out to rounding.
  for (const int n : {8, 17, 64, 500})
    for (const double delta : {-0.2, 0.0, 0.05, 1.2}) {
      const Signals s = sample(
          n, 3, [](double p) { return 5e-3 + 1e-3 * std::sin(p + 0.4); },
          [&](double p) {
            return 700.0 + 400.0 * std::sin(p + 0.4 + delta) + 60.0 * std::sin(3.0 * p) - 20.0 * std::cos(2.0 * p);
          });
      const Reduction r = reduce_sine(s.u, s.f, 3);
      EXPECT_NEAR(r.amplitude, 1e-3, 1e-16);
      EXPECT_NEAR(r.k_dyn, 4e5, 1e-7);
      EXPECT_NEAR(r.loss_angle, delta, 1e-12);
    }
}

TEST(ReduceSine, BothDefinitionsAgreeForAnEllipse) {
  // The area is exact [signal E3]; the parabola at the crests errs by (2 pi/n)^4/32.
  for (const int n : {32, 128, 1000})
    for (const double delta : {0.0, 0.05, 0.7, 1.5}) {
      const Signals s = sample(
          n, 1, [](double p) { return 1e-3 * std::sin(p); }, [&](double p) { return 400.0 * std::sin(p + delta); });
      const Reduction r = reduce_sine(s.u, s.f, 1);
      const double crest = std::pow(2.0 * pi / n, 4) / 32.0 + 1e-14;
      EXPECT_NEAR(r.k_dyn_loop / 4e5, 1.0, 2.0 * crest) << n;
      EXPECT_NEAR(std::sin(r.loss_angle_loop), std::sin(delta), 4.0 * crest) << n;
    }
}

TEST(ReduceSine, LoopUsesRangeAndArea) {
  // [signal E2] Coulomb friction beside a spring: range 2 (k a + R), area 4 a R, first harmonic 4 R/pi in quadrature.
  const double k = 3e5, a = 1e-3, R = 40.0;
  const int n = 4000;
  const Signals s = sample(
      n, 1, [&](double p) { return a * std::sin(p); },
      [&](double p) { return k * a * std::sin(p) + (std::cos(p) >= 0.0 ? R : -R); });
  const Reduction r = reduce_sine(s.u, s.f, 1);
  // The jump falls between two samples: 2/n of everything.
  EXPECT_NEAR(r.k_dyn_loop / (k + R / a), 1.0, 2.0 / n);
  EXPECT_NEAR(std::sin(r.loss_angle_loop) / (4.0 * a * R / (pi * a * a * (k + R / a))), 1.0, 4.0 / n);
  EXPECT_NEAR(r.k_dyn / std::hypot(k, 4.0 * R / (pi * a)), 1.0, 4.0 / n);
  EXPECT_NEAR(r.loss_angle / std::atan2(4.0 * R / (pi * a), k), 1.0, 8.0 / n);
  EXPECT_GT(r.k_dyn_loop, r.k_dyn);
}

TEST(ReduceSine, FirstHarmonicKeepsAnglesBeyondNinetyDegrees) {
  const double delta = 115.0 * pi / 180.0;
  const Signals s = sample(
      256, 1, [](double p) { return 1e-3 * std::sin(p); }, [&](double p) { return 100.0 * std::sin(p + delta); });
  const Reduction r = reduce_sine(s.u, s.f, 1);
  EXPECT_NEAR(r.loss_angle, delta, 1e-12);
  EXPECT_NEAR(r.loss_angle_loop, pi - delta, 1e-6);  // folded back by the asin
}

TEST(ReduceSine, AveragesCyclesBeforeItLooksForExtremes) {
  // Noise of 1 % of the amplitude: over 100 cycles the range is biased by the extreme of about ten samples near the
  // crest, 0.3 % at most; over one cycle by ten times as much.
  RandomStream random(71);
  Signals s = sample(
      200, 100, [](double p) { return 1e-3 * std::sin(p); }, [](double p) { return 100.0 * std::sin(p); });
  for (double& f : s.f) f += random.normal();
  const Reduction r = reduce_sine(s.u, s.f, 100);
  EXPECT_NEAR(r.k_dyn_loop / 1e5, 1.0, 3e-3);
  EXPECT_NEAR(r.k_dyn / 1e5, 1.0, 4.0 * 0.01 * std::sqrt(2.0 / 20000.0));
  EXPECT_NEAR(r.loss_angle, 0.0, 4.0 * 0.01 * std::sqrt(2.0 / 20000.0));
}

TEST(ReduceSine, RefusesPartsOfCycles) {
  const std::vector<double> seven(7), twenty(20), ten(10);
  EXPECT_THROW(reduce_sine(seven, seven, 1), Error);
  EXPECT_THROW(reduce_sine(twenty, twenty, 3), Error);
  EXPECT_THROW(reduce_sine(twenty, ten, 1), Error);
  EXPECT_THROW(reduce_sine(twenty, twenty, 0), Error);
}

}  // namespace
}  // namespace kdyn::inline signal
