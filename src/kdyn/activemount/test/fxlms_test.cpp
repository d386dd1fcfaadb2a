// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/fxlms.hpp"

#include <gtest/gtest.h>

#include "kdyn/activemount/fxlms_run.hpp"
#include "kdyn/activemount/test/reference.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline activemount {
namespace {

using C = std::complex<double>;

TEST(SampledPath, MeetsTheReference) {
  const SampledPath path = sample_path(nominal_mount(), ActivePath::S_y, reference()["fxlms"]["fs"].get<double>());
  for (const auto& [f, value] : reference()["fxlms"]["Sd_y"].items()) {
    const C expected = complex_of(value);
    EXPECT_LT(std::abs(path.response(std::stod(f)) - expected), 1e-8 * std::abs(expected)) << f;
  }
}

// At a high rate the hold vanishes; what is left is half a sample of delay, known exactly to first order.
TEST(SampledPath, TendsToTheContinuousPath) {
  const ActiveMount<double> law = nominal_mount();
  const auto continuous = active_responses(law, 100.0)[3];
  const double rate = 1e5;
  const C sampled =
      sample_path(law, ActivePath::S_y, rate).response(100.0) * std::polar(1.0, std::numbers::pi * 100.0 / rate);
  EXPECT_LT(std::abs(sampled - C(continuous.re, continuous.im)),
            1e-4 * abs(continuous));  // aliasing, second order in f/rate
}

TEST(FxlmsLimits, MeetTheReference) {
  for (const ActivePath path : {ActivePath::S_y, ActivePath::S_x}) {
    const SampledPath plant = sample_path(nominal_mount(), path, 2000.0);
    for (const double f : {30.0, 60.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0}) {
      const Json& row =
          reference()["fxlms"]["limits"][std::string(to_string(path)) + "@" + std::to_string(static_cast<int>(f))];
      for (const auto& [step, expected] : row.items()) {
        const PhaseLimits limits = phase_limits(plant, f, std::stod(step));
        EXPECT_EQ(limits.stable_without_error, !expected.is_null()) << to_string(path) << f << " " << step;
        if (expected.is_null()) continue;
        // The table holds the last stable step of 0.25 deg.
        EXPECT_NEAR(limits.plus_deg, expected[0].get<double>(), 0.5) << to_string(path) << f << " " << step;
        EXPECT_NEAR(limits.minus_deg, expected[1].get<double>(), 0.5) << to_string(path) << f << " " << step;
      }
    }
  }
}

// Growth of the controlled force over a time run of the real mount at one frequency, per sample: the rate must be that
// of the eigenvalue.
double measured_growth(double frequency_hz, double step, double phase_error_deg) {
  FxlmsOptions o;
  o.engine_order = 1.0;
  o.engine_speed_start_rpm = o.engine_speed_end_rpm = 60.0 * frequency_hz;
  o.duration_s = 6.0;
  o.control_from_s = 0.0;
  o.step = step;
  o.phase_error_deg = phase_error_deg;
  const FxlmsResult run = run_fxlms(nominal_mount(), nominal_mount(), ActivePath::S_y, o);
  // Peak of the error in two windows of the settled run, whole cycles apart.
  const std::size_t n = run.error.size(), w = n / 5;
  const auto peak = [&](std::size_t from) {
    double p = 0.0;
    for (std::size_t i = from; i < from + w; ++i) p = std::max(p, std::abs(run.error[i]));
    return p;
  };
  return std::log(peak(n - w) / peak(n - 3 * w)) / static_cast<double>(2 * w);
}

TEST(FxlmsLimits, TimeDomainConfirmsTheMarginOnBothSides) {
  const SampledPath plant = sample_path(nominal_mount(), ActivePath::S_y, 2000.0);
  for (const double f : {60.0, 100.0, 250.0}) {
    const PhaseLimits limits = phase_limits(plant, f, 0.01);
    for (const double sign : {1.0, -1.0}) {
      const double limit = sign > 0.0 ? limits.plus_deg : -limits.minus_deg;
      const double inside = sign * (limit - 2.0), outside = sign * (limit + 2.0);
      EXPECT_LT(loop_radius_at(plant, f, 0.01, inside), 1.0);
      EXPECT_GT(loop_radius_at(plant, f, 0.01, outside), 1.0);
      // One mode dominates the end of the run: its growth is ln(radius); 10 % for the peak picking on a turning wave.
      EXPECT_NEAR(measured_growth(f, 0.01, inside), std::log(loop_radius_at(plant, f, 0.01, inside)), 2e-5)
          << f << " " << inside;
      EXPECT_NEAR(measured_growth(f, 0.01, outside), std::log(loop_radius_at(plant, f, 0.01, outside)), 2e-5)
          << f << " " << outside;
      EXPECT_LT(measured_growth(f, 0.01, inside), 0.0);
      EXPECT_GT(measured_growth(f, 0.01, outside), 0.0);
    }
  }
}

TEST(FxlmsRun, CancelsAnEngineOrderDuringASweep) {
  FxlmsOptions o;
  o.duration_s = 3.0;
  o.engine_speed_end_rpm = 4500.0;
  const FxlmsResult run = run_fxlms(nominal_mount(), nominal_mount(), ActivePath::S_y, o);
  EXPECT_EQ(run.status, "done");
  EXPECT_LT(run.attenuation_db, -20.0);
  EXPECT_NEAR(run.frequency_hz.back(), 150.0, 1e-9);
  // Phase accumulator: the force without control has the frequency of the sweep at its end, counted by zero crossings
  // of the last 0.1 s.
  int crossings = 0;
  const std::size_t n = run.time.size(), tail = 200;
  for (std::size_t i = n - tail; i < n; ++i)
    crossings += (run.error_without[i - 1] < 0.0) != (run.error_without[i] < 0.0);
  EXPECT_NEAR(crossings / 2.0 / 0.1, 148.3, 6.0);  // mean of the window; one crossing more or less is 5 Hz
}

TEST(FxlmsRun, PrintedSignOfTheUpdateDiverges) {
  FxlmsOptions o;
  o.engine_speed_end_rpm = o.engine_speed_start_rpm = 3000.0;
  o.phase_error_deg = 180.0;  // the same as plus instead of minus in the update
  const FxlmsResult run = run_fxlms(nominal_mount(), nominal_mount(), ActivePath::S_y, o);
  EXPECT_EQ(run.status, "diverged");
}

TEST(FxlmsRun, RefusesAnOrderAboveHalfTheRate) {
  FxlmsOptions o;
  o.engine_speed_end_rpm = 60000.0;
  EXPECT_THROW(run_fxlms(nominal_mount(), nominal_mount(), ActivePath::S_y, o), Error);
}

// The worst pairs of the specification: estimates and plants from temperature x preload are stable at mu|S|^2 = 0.05.
TEST(FxlmsLimits, TemperaturePairsAreStableAtModerateStep) {
  const double f = 300.0;
  std::vector<SampledPath> mounts;
  for_each_variant(nominal_mount(), published_variations(), CombinationRule::temperature_x_preload,
                   [&](const ActiveMount<double>& m) { mounts.push_back(sample_path(m, ActivePath::S_y, 2000.0)); });
  for (const SampledPath& estimate : mounts)
    for (const SampledPath& plant : mounts) {
      const C S = estimate.response(f);
      EXPECT_LT(loop_radius(plant, f, 0.05 / std::norm(S), S), 1.0);
    }
}

}  // namespace
}  // namespace kdyn::inline activemount
