// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/steady_curve.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/hydromount/hydromount_model.hpp"

namespace kdyn {
namespace {

// Oracle: 15 odd harmonics, each point by itself.
void compare(const HydroMount<double>& law, double rms_limit, double worst_limit) {
  for (const double a : {1e-4, 5e-4, 2e-3}) {
    std::vector<SweepPoint> sweep;
    for (int i = 0; i < 40; ++i) sweep.push_back({std::pow(60.0, i / 39.0), a});
    const auto got = steady_curve(law, 0.0, sweep);
    ASSERT_EQ(got.size(), sweep.size());
    double square = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < sweep.size(); ++i) {
      const auto want = steady_response(law, sweep[i].frequency_hz, a, 0.0);
      ASSERT_TRUE(want);
      const double off = std::abs(got[i] / std::polar(want->k_dyn, want->loss_angle) - 1.0);
      square += off * off / static_cast<double>(sweep.size());
      worst = std::max(worst, off);
    }
    EXPECT_LT(std::sqrt(square), rms_limit) << a;
    EXPECT_LT(worst, worst_limit) << a;
  }
}

TEST(SteadyCurve, AgreesWithManyHarmonics) {
  HydroMount<double> law;  // the published cab mount
  compare(law, 1e-3, 5e-3);
  law.decoupler_clearance = 2e-4;
  law.decoupler_residual_slope = 0.2;
  compare(law, 2e-3, 1e-2);
  law.decoupler_clearance.reset();
  law.pressure_limit = 2e4;
  compare(law, 5e-3, 3e-2);  // a kinked force needs more harmonics than five
}

}  // namespace
}  // namespace kdyn
