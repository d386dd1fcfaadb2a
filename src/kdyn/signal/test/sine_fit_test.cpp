// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/sine_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/base/random.hpp"

namespace kdyn::inline signal {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

struct Record {
  std::vector<double> t, u, f;
};

// Sine of 3.37 Hz that fades in and out, with a third harmonic in the force, offsets and an awkward number of cycles.
Record record(double noise, bool fade) {
  Record r;
  RandomStream random(5);
  for (int i = 0; i < 2000; ++i) {
    const double t = i / 1000.0, w = two_pi * 3.37;
    const double ramp = fade ? std::min({1.0, t / 0.4, (2.0 - t) / 0.4}) : 1.0;
    r.t.push_back(t);
    r.u.push_back(0.01 + 2e-3 * ramp * std::sin(w * t + 0.3) + noise * 2e-5 * random.normal());
    r.f.push_back(40.0 + ramp * (600.0 * std::sin(w * t + 0.3 + 0.2) + 60.0 * std::sin(3.0 * w * t)) +
                  noise * 5.0 * random.normal());
  }
  return r;
}

TEST(SineFit, FindsFrequencyAndStiffnessOfAnAwkwardRecord) {
  const Record r = record(0.0, false);
  const auto s = reduce_sine_record(r.t, r.u, r.f);
  ASSERT_TRUE(s);
  EXPECT_NEAR(s->frequency_hz, 3.37, 1e-5);  // golden section on a parabola stops at the square root of rounding
  EXPECT_NEAR(s->amplitude, 2e-3, 1e-8);
  EXPECT_NEAR(s->k_dyn, 300e3, 5.0);
  EXPECT_NEAR(s->loss_angle, 0.2, 1e-4);
  EXPECT_NEAR(s->mean_force, 40.0, 1e-2);
}

TEST(SineFit, TakesTheSteadyPartOfAFadingRecord) {
  const Record r = record(1.0, true);
  const auto s = reduce_sine_record(r.t, r.u, r.f);
  ASSERT_TRUE(s);
  EXPECT_GT(r.t[s->first], 0.2);
  EXPECT_NEAR(s->frequency_hz, 3.37, 0.03);
  // The ramp reaches 0.95 before the flat part: at most that share is missing in a third of the window.
  EXPECT_NEAR(s->amplitude, 2e-3, 0.03 * 2e-3);
  EXPECT_NEAR(s->k_dyn, 300e3, 0.01 * 300e3);
  EXPECT_NEAR(s->loss_angle, 0.2, 0.01);
}

TEST(SineFit, RefusesWhatIsNoSine) {
  std::vector<double> t, noise, ramp, zero;
  RandomStream random(1);
  for (int i = 0; i < 500; ++i) {
    t.push_back(0.01 * i);
    noise.push_back(random.normal());
    ramp.push_back(0.01 * i);
    zero.push_back(0.0);
  }
  EXPECT_FALSE(reduce_sine_record(t, noise, noise));
  EXPECT_FALSE(reduce_sine_record(t, ramp, ramp));
  EXPECT_FALSE(reduce_sine_record(t, zero, zero));
  const std::vector<double> few(10, 0.0);
  EXPECT_FALSE(reduce_sine_record(few, few, few));
}

}  // namespace
}  // namespace kdyn::inline signal
