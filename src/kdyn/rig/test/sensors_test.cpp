// SPDX-License-Identifier: Apache-2.0
// Oracle: the exact transfer functions of what stands between mount and data.
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {
namespace {

RigOptions one_point(double hz) {
  RigOptions options;
  options.frequencies_hz = {hz};
  options.amplitudes_m = {2e-4};
  options.samples_per_cycle = 1024;
  return options;
}

std::complex<double> measured(const RigOptions& options) {
  const auto mount = make_mount(Elastomer<double>{});
  const RigResult result = run_rig(*mount, options);
  return std::polar(result.map.front().response.k_dyn, result.map.front().response.loss_angle);
}

TEST(Sensors, FixtureMassTakesOffItsInertia) {
  RigOptions options = one_point(40.0);
  const std::complex<double> plain = measured(options);
  options.fixture_mass_kg = 1.5;
  const double w = 2.0 * std::numbers::pi * 40.0;
  EXPECT_LT(std::abs(measured(options) - (plain - 1.5 * w * w)) / std::abs(plain), 1e-10);
}

TEST(Sensors, EqualFiltersCancelAndUnequalOnesTurnThePhase) {
  RigOptions options = one_point(20.0);
  const std::complex<double> plain = measured(options);
  options.filter_force_hz = options.filter_displacement_hz = 200.0;
  EXPECT_LT(std::abs(measured(options) - plain) / std::abs(plain), 1e-9);
  options.filter_displacement_hz = 0.0;
  // Butterworth of second order by the bilinear transform: the analogue response at the prewarped frequency.
  const double h = 1.0 / (20.0 * 1024.0);
  const std::complex<double> s(0.0, std::tan(std::numbers::pi * 20.0 * h) / std::tan(std::numbers::pi * 200.0 * h));
  const std::complex<double> filter = 1.0 / (s * s + std::numbers::sqrt2 * s + 1.0);
  EXPECT_LT(std::abs(measured(options) / plain - filter), 1e-9);
}

TEST(Sensors, ResolutionRoundsToItsStep) {
  RigOptions options;
  options.program = RigProgram::static_loop;
  options.resolution_force_n = 0.5;
  const RigResult result = run_rig(*make_mount(Elastomer<double>{}), options);
  for (const double f : result.static_loop.force) ASSERT_EQ(f, 0.5 * std::round(f / 0.5));
}

TEST(Sensors, RefuseAFilterAboveHalfTheSamplingRate) {
  RigOptions options = one_point(1.0);
  options.filter_force_hz = 1e6;
  EXPECT_THROW(measured(options), Error);
}

}  // namespace
}  // namespace kdyn::inline rig
