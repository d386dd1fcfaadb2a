// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/excitation.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline rig {
namespace {

// Oracle: velocity and acceleration are the derivatives of displacement, by central differences (error h^2/6 times the
// third derivative).
void expect_consistent(const Excitation& path, double highest_hz) {
  const double h = path.time[1] - path.time[0], w = 2.0 * std::numbers::pi * highest_hz;
  double u_size = 0.0;
  for (const double u : path.displacement) u_size = std::max(u_size, std::abs(u));
  for (std::size_t i = 1; i + 1 < path.time.size(); ++i) {
    const double v = (path.displacement[i + 1] - path.displacement[i - 1]) / (2.0 * h),
                 a = (path.velocity[i + 1] - path.velocity[i - 1]) / (2.0 * h);
    ASSERT_NEAR(path.velocity[i], v, 0.2 * h * h * w * w * w * u_size) << path.time[i];
    ASSERT_NEAR(path.acceleration[i], a, 0.2 * h * h * w * w * w * w * u_size) << path.time[i];
  }
}

TEST(Excitation, DerivativesBelongToTheDisplacement) {
  expect_consistent(random_excitation(5e-4, 0.2, 30.0, 1.0, 10.0, 20000.0, 3), 30.0);
  expect_consistent(sweep_excitation(1e-3, 1.0, 40.0, 5.0, 20000.0), 40.0);
  expect_consistent(formula_excitation("1e-3*sin(2*pi*7*t)", 2.0, 20000.0), 7.0);
}

TEST(Excitation, BumpsOfARoadStartAndEndSmoothly) {
  const Excitation road = road_excitation(1e-3, 0.5, 20.0, 20.0, 20000.0, 5);
  const double h = road.time[1];
  double jump = 0.0, speed = 0.0;
  for (std::size_t i = 1; i < road.time.size(); ++i) {
    jump = std::max(jump, std::abs(road.displacement[i] - road.displacement[i - 1]));
    speed = std::max(speed, std::abs(road.velocity[i]));
  }
  EXPECT_LE(jump, 1.01 * speed * h);  // displacement never moves faster than the velocity says
}

// The spectrum is set by amplitudes of components: rms over a long record, whose standard error is a few percent.
TEST(Excitation, RandomHasTheRmsAskedForAndDependsOnTheSeed) {
  const Excitation a = random_excitation(5e-4, 0.5, 30.0, 1.0, 200.0, 200.0, 1),
                   b = random_excitation(5e-4, 0.5, 30.0, 1.0, 200.0, 200.0, 1),
                   c = random_excitation(5e-4, 0.5, 30.0, 1.0, 200.0, 200.0, 2);
  double square = 0.0;
  for (const double u : a.displacement) square += u * u / static_cast<double>(a.displacement.size());
  EXPECT_NEAR(std::sqrt(square) / 5e-4, 1.0, 0.05);
  EXPECT_EQ(a.displacement, b.displacement);
  EXPECT_NE(a.displacement, c.displacement);
}

TEST(Excitation, SweepPassesItsFrequencies) {
  // Zero crossings upwards count cycles: their number is the integral of the frequency, (f1 - f0)/ln(f1/f0) T.
  const Excitation sweep = sweep_excitation(1e-3, 2.0, 20.0, 10.0, 5000.0);
  int crossings = 0;
  for (std::size_t i = 1; i < sweep.time.size(); ++i)
    crossings += sweep.displacement[i - 1] < 0.0 && sweep.displacement[i] >= 0.0;
  EXPECT_NEAR(crossings, 18.0 / std::log(10.0) * 10.0, 1.0);
}

TEST(Excitation, RefusesTooSlowSampling) {
  EXPECT_THROW(random_excitation(1e-3, 1.0, 100.0, 1.0, 1.0, 300.0, 1), Error);
  EXPECT_THROW(sweep_excitation(1e-3, 1.0, 100.0, 1.0, 500.0), Error);
  EXPECT_THROW(random_excitation(1e-3, 5.0, 2.0, 1.0, 1.0, 300.0, 1), Error);
}

}  // namespace
}  // namespace kdyn::inline rig
