// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/sensors.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline rig {
namespace {

// [rig E13] Starts settled at the first sample.
void low_pass(double cutoff_hz, double h, std::vector<double>& x, const char* where) {
  if (cutoff_hz <= 0.0 || x.empty()) return;
  if (cutoff_hz >= 0.5 / h)
    throw_bad_input(where, fmt::format("{:g} Hz is not below half the sampling rate {:g} Hz", cutoff_hz, 1.0 / h),
                    "lower the cut-off or sample faster");
  const double w = std::tan(std::numbers::pi * cutoff_hz * h), q = std::numbers::sqrt2;
  const double a0 = 1.0 + q * w + w * w;
  const double b0 = w * w / a0, a1 = 2.0 * (w * w - 1.0) / a0, a2 = (1.0 - q * w + w * w) / a0;
  double x1 = x[0], x2 = x[0], y1 = x[0], y2 = x[0];
  for (double& value : x) {
    const double y = b0 * (value + 2.0 * x1 + x2) - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = value;
    y2 = y1;
    y1 = y;
    value = y;
  }
}

void add_noise(double deviation, std::vector<double>& x, RandomStream& noise) {
  if (deviation <= 0.0) return;
  for (double& value : x) value += deviation * noise.normal();
}

void quantise(double step, std::vector<double>& x) {
  if (step <= 0.0) return;
  for (double& value : x) value = step * std::round(value / step);
}

}  // namespace

void apply_sensors(const RigOptions& options, double h, std::span<const double> acceleration,
                   std::vector<double>& displacement, std::vector<double>& force, RandomStream& noise) {
  if (options.fixture_mass_kg > 0.0) {
    demand(acceleration.size() == force.size(), "a fixture mass needs the acceleration");
    for (std::size_t i = 0; i < force.size(); ++i) force[i] += options.fixture_mass_kg * acceleration[i];  // [rig E12]
  }
  low_pass(options.filter_displacement_hz, h, displacement, "filter_displacement_hz");
  low_pass(options.filter_force_hz, h, force, "filter_force_hz");
  add_noise(options.noise_displacement_m, displacement, noise);
  add_noise(options.noise_force_n, force, noise);
  quantise(options.resolution_displacement_m, displacement);
  quantise(options.resolution_force_n, force);
}

}  // namespace kdyn::inline rig
