// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/limit_harmonic.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/element/mount_of.hpp"
#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/hydromount/steady_state.hpp"

namespace kdyn {
namespace {

constexpr double pi = std::numbers::pi;

TEST(LimitHarmonic, BelowTheLimitNothingAboveTwiceTheLimit) {
  // A narrow transition far away: the force passes as it is, up to (e/2P)^2.
  EXPECT_NEAR(limited_harmonic(0.2, 1.0, 0.01).gain, 1.0, 1e-4);
  // Pulses with no mean above a floor of -P: their first harmonic tends to 2 P from below.
  const double first = 50.0 * limited_harmonic(50.0, 1.0, 0.01).gain;
  EXPECT_LT(first, 2.0);
  EXPECT_GT(first, 1.8);
}

// Oracle: bisection for the mean and 20000 samples of one period.
TEST(LimitHarmonic, MeanAndGainByBruteForce) {
  for (const double A : {0.7, 1.3, 3.0, 8.0}) {
    const double P = 1.0, e = 0.05;
    const auto moments = [&](double b, double& mean, double& first) {
      constexpr int n = 20000;
      mean = first = 0.0;
      for (int i = 0; i < n; ++i) {
        const double c = std::cos(2.0 * pi * (i + 0.5) / n), p = b + A * c;
        const double L = 0.5 * (p + P + std::sqrt((p + P) * (p + P) + e * e)) - 0.5 * (P + std::sqrt(P * P + e * e));
        mean += L / n, first += 2.0 * L * c / n;
      }
    };
    double low = -A, high = 0.0, mean = 0.0, first = 0.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      moments(middle, mean, first);
      (mean > 0.0 ? high : low) = middle;
    }
    const auto got = limited_harmonic(A, P, e);
    // 32 points at a kink of width 0.05: the quadrature is good to 1e-3.
    EXPECT_NEAR(got.mean, low, 2e-3 * A) << A;
    EXPECT_NEAR(got.gain, first / A, 2e-3) << A;
  }
}

TEST(LimitHarmonic, DerivativesAgreeWithDifferences) {
  const double A = 1.7, P = 1.1, e = 0.08, h = 1e-6;
  using J = Jet<5>;
  const auto got = limited_harmonic(J(A, 0), J(P, 3), J(e, 4));
  const auto at = [](double a, double p, double w) { return limited_harmonic(a, p, w).gain; };
  EXPECT_NEAR(got.gain.v[0], (at(A + h, P, e) - at(A - h, P, e)) / (2 * h), 1e-7);
  EXPECT_NEAR(got.gain.v[3], (at(A, P + h, e) - at(A, P - h, e)) / (2 * h), 1e-7);
  EXPECT_NEAR(got.gain.v[4], (at(A, P, e + h) - at(A, P, e - h)) / (2 * h), 1e-7);
  EXPECT_EQ(got.gain.v[1], 0.0);
}

// The balance against the law itself, run in time until it repeats: an oracle that knows nothing of harmonics.
TEST(LimitHarmonic, SteadyStateAgreesWithTimeDomain) {
  HydroMount<double> law;
  for (Elastomer<double>* rubber : {&law.main_rubber, &law.chamber_rubber})
    rubber->lambda = rubber->rdl = rubber->rho = 0.0;
  law.main_rubber.static_stiffness = 3e5;
  law.chamber_rubber.static_stiffness = 5e5;
  law.chamber_area = law.channel_area = law.fluid_density = 1.0;
  const double f0 = 12.0, w0 = 2.0 * pi * f0;
  law.channel_length = 5e5 / (w0 * w0);
  law.fluid_damping_linear = 0.2 * 2.0 * law.channel_length * w0;
  law.fluid_damping_nonlinear = 0.0;
  law.pressure_limit = 150.0;
  law.pressure_limit_smoothing = 15.0;
  // Well above resonance: near it a mount far beyond its limit answers with twice the period, which no balance of whole
  // periods has.
  const double frequency = 30.0, a = 1e-3, omega = 2.0 * pi * frequency;
  const SteadyState state = HarmonicBalance(law).solve(frequency, a);
  ASSERT_TRUE(state.converged);
  ASSERT_TRUE(state.stable);

  auto mount = make_mount(law);
  constexpr int per_cycle = 400, cycles = 60;
  const double h = 1.0 / (frequency * per_cycle);
  mount->start({0.0, a * omega});
  std::complex<double> sum = 0.0;
  for (int i = 1; i <= per_cycle * cycles; ++i) {
    const double phase = omega * i * h;
    const double force = mount->advance({a * std::sin(phase), a * omega * std::cos(phase)}, h);
    if (i > per_cycle * (cycles - 1)) sum += force * std::polar(1.0, -phase) * (2.0 / per_cycle);
  }
  const std::complex<double> stiffness = sum * std::complex<double>(0.0, 1.0) / a;
  // 17 harmonics of a kinked force, and the transient after 60 cycles: 1e-3.
  EXPECT_NEAR(std::abs(stiffness - state.stiffness), 0.0, 1e-3 * std::abs(stiffness));
  // The limit is far below the force that the chamber would have, and one harmonic sees it to a few per cent.
  HydroMount<double> open = law;
  open.pressure_limit.reset();
  const SteadyState without = HarmonicBalance(open).solve(frequency, a);
  EXPECT_GT(std::abs(without.stiffness - state.stiffness), 0.2 * std::abs(without.stiffness));
  const FirstHarmonic<double> first(law);
  const auto roots = chamber_amplitudes(first, omega, a);
  ASSERT_EQ(roots.size(), 1u);
  const auto K = first.main_stiffness(frequency, a) + first.at_chamber_amplitude(roots[0], omega).stiffness;
  EXPECT_NEAR(std::abs(std::complex<double>(K.re, K.im) - state.stiffness), 0.0, 0.05 * std::abs(state.stiffness));
}

}  // namespace
}  // namespace kdyn
