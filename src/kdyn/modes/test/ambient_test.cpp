// SPDX-License-Identifier: Apache-2.0
// Operational modal analysis from records to modes. Oracle: the poles and shapes of the system that was simulated, exact
// from sample to sample under white forces.
#include "kdyn/signal/half_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline modes {
namespace {

using Complex = std::complex<double>;

struct Structure {
  std::vector<double> frequency_hz{7.1, 12.4, 13.1, 21.7};
  std::vector<double> damping{0.01, 0.015, 0.008, 0.02};
  int sensors = 8;
  double shape(int mode, int sensor) const {
    return std::sin((mode + 1.0) * 3.14159265 * (sensor + 1.0) / (sensors + 1.0));
  }
};

// Displacements under white forces at all sensors, with noise of the sensors.
SignalSet record_of(const Structure& s, std::size_t samples, double step, double noise, std::uint64_t seed) {
  SignalSet out;
  for (int y = 0; y < s.sensors; ++y) {
    Signal signal;
    signal.name = "s" + std::to_string(y + 1);
    signal.unit = "m";
    signal.dof = {y + 1, 3, ""};
    signal.step_s = step;
    signal.values.assign(samples, 0.0);
    out.signals.push_back(std::move(signal));
  }
  RandomStream random(seed);
  std::vector<Complex> state(s.damping.size());
  std::vector<double> force(static_cast<std::size_t>(s.sensors));
  const std::size_t settle = 20000;
  for (std::size_t j = 0; j < settle + samples; ++j) {
    for (double& f : force) f = random.normal();
    for (std::size_t r = 0; r < state.size(); ++r) {
      const double w = two_pi * s.frequency_hz[r], xi = s.damping[r];
      const Complex lambda = w * Complex(-xi, std::sqrt(1.0 - xi * xi));
      double modal = 0.0;
      for (int y = 0; y < s.sensors; ++y) modal += s.shape(static_cast<int>(r), y) * force[static_cast<std::size_t>(y)];
      const Complex grown = std::exp(lambda * step);
      state[r] = grown * state[r] + (grown - 1.0) / lambda * modal / Complex(0.0, 2.0 * lambda.imag());
    }
    if (j < settle) continue;
    for (int y = 0; y < s.sensors; ++y) {
      double value = 0.0;
      for (std::size_t r = 0; r < state.size(); ++r) value += s.shape(static_cast<int>(r), y) * 2.0 * state[r].real();
      out.signals[static_cast<std::size_t>(y)].values[j - settle] = value;
    }
  }
  for (Signal& signal : out.signals) {
    double power = 0.0;
    for (const double v : signal.values) power += v * v / static_cast<double>(samples);
    for (double& v : signal.values) v += noise * std::sqrt(power) * random.normal();
  }
  return out;
}

TEST(Ambient, FindsTheModesOfResponsesAlone) {
  const Structure truth;
  const SignalSet record = record_of(truth, 200'000, 0.01, 0.05, 3);  // 2000 s
  FrfOptions options;
  options.excitation = ModalExcitation::ambient;
  options.block_s = 20.0;
  options.band_hz = {4.0, 30.0};
  const FrfEstimate spectra = estimate_frf({record}, options);
  EXPECT_EQ(spectra.averages, 25);
  EXPECT_NEAR(spectra.added_decay, std::log(100.0) / 20.0, 1e-9);
  EXPECT_EQ(spectra.response.frequency_hz.front(), 4.0);
  const ModalResult result = identify_modes(spectra.response, {});
  ASSERT_EQ(result.status, "done");
  EXPECT_FALSE(result.shapes_scaled);
  EXPECT_EQ(result.added_decay, spectra.added_decay);
  for (std::size_t r = 0; r < truth.damping.size(); ++r) {
    const auto found = std::min_element(result.modes.begin(), result.modes.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.frequency_hz - truth.frequency_hz[r]) < std::abs(b.frequency_hz - truth.frequency_hz[r]);
    });
    // The variance of an estimate from a record of T seconds is about xi/(2 pi f T) f^2 in frequency and xi/(2 pi f T) in
    // damping: three deviations.
    const double deviation = std::sqrt(truth.damping[r] / (two_pi * truth.frequency_hz[r] * 2000.0));
    EXPECT_NEAR(found->frequency_hz / truth.frequency_hz[r], 1.0, 3.0 * deviation) << r;
    EXPECT_NEAR(found->damping, truth.damping[r], 4.0 * deviation) << r;
    Eigen::VectorXcd shape(truth.sensors);
    for (int y = 0; y < truth.sensors; ++y) shape[y] = truth.shape(static_cast<int>(r), y);
    EXPECT_GT(mac(found->shape, shape), 0.99) << r;
  }
}

TEST(Ambient, ReferencesAreThoseNamed) {
  FrfOptions options;
  options.excitation = ModalExcitation::ambient;
  options.inputs = {"2+Z", "5+Z"};
  const SignalSet record = record_of({}, 20'000, 0.01, 0.05, 1);
  const FrfEstimate spectra = estimate_frf({record}, options);
  ASSERT_EQ(spectra.response.channels.size(), 16U);
  EXPECT_EQ(spectra.response.channels[8].input.node, 5);
  options.inputs = {"2+Z", "55+Z"};
  EXPECT_THROW(estimate_frf({record}, options), Error);
}

TEST(Ambient, RefusesShortAndUnequalRecords) {
  FrfOptions options;
  options.excitation = ModalExcitation::ambient;
  EXPECT_THROW(estimate_frf({record_of({}, 300, 0.01, 0.0, 1)}, options), Error);
  SignalSet other = record_of({}, 20'000, 0.01, 0.0, 1);
  const SignalSet record = other;
  other.signals.pop_back();
  EXPECT_THROW(estimate_frf({record, other}, options), Error);
  other = record;
  other.signals[1].step_s = 0.02;
  EXPECT_THROW(estimate_frf({other}, options), Error);
}

}  // namespace
}  // namespace kdyn::inline modes
