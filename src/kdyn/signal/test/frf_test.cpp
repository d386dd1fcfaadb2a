// SPDX-License-Identifier: Apache-2.0
// Oracle: discrete systems whose response at every line is known in closed form.
#include "kdyn/signal/frf.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/signal/fft.hpp"

namespace kdyn::inline signal {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr double rate = 1000.0;

// y_j = a1 y_(j-1) + a2 y_(j-2) + u_j: a resonance at `f` Hz with decay `sigma` 1/s, sampled at `rate`.
struct Resonator {
  double f = 80.0, sigma = 25.0, gain = 1.0;
  Complex pole() const { return std::exp(Complex(-sigma, 2.0 * pi * f) / rate); }
  std::vector<double> run(const std::vector<double>& u) const {
    const Complex p = pole();
    std::vector<double> y(u.size());
    for (std::size_t j = 0; j < u.size(); ++j)
      y[j] = gain * u[j] + 2.0 * p.real() * (j > 0 ? y[j - 1] : 0.0) - std::norm(p) * (j > 1 ? y[j - 2] : 0.0);
    return y;
  }
  // At z = exp((i 2 pi f + decay)/rate).
  Complex at(double frequency_hz, double decay = 0.0) const {
    const Complex z = std::exp(Complex(decay, 2.0 * pi * frequency_hz) / rate), p = pole();
    return gain / (1.0 - 2.0 * p.real() / z + std::norm(p) / (z * z));
  }
};

Signal signal(std::string name, std::string unit, Dof dof, std::vector<double> values) {
  Signal s;
  s.name = std::move(name);
  s.unit = std::move(unit);
  s.dof = dof;
  s.step_s = 1.0 / rate;
  s.values = std::move(values);
  return s;
}

SignalSet record(const std::vector<double>& force, const std::vector<std::vector<double>>& responses) {
  SignalSet set;
  set.signals.push_back(signal("force", "N", {1, 3, ""}, force));
  for (std::size_t i = 0; i < responses.size(); ++i)
    set.signals.push_back(signal("a", "m/s^2", {static_cast<std::int64_t>(i) + 1, 3, ""}, responses[i]));
  return set;
}

std::vector<double> white(std::size_t n, std::uint64_t seed, double sigma = 1.0) {
  RandomStream random(seed);
  std::vector<double> x(n);
  for (double& v : x) v = sigma * random.normal();
  return x;
}

TEST(Fft, AgreesWithTheDefinitionForAnyLength) {
  for (const std::size_t n : {1U, 2U, 15U, 16U, 100U, 101U}) {
    const std::vector<double> x = white(n, n);
    const auto X = real_fft(x);
    ASSERT_EQ(X.size(), n / 2 + 1);
    for (std::size_t m = 0; m < X.size(); ++m) {
      Complex sum = 0.0;
      for (std::size_t j = 0; j < n; ++j)
        sum += x[j] * std::polar(1.0, -2.0 * pi * static_cast<double>(j * m) / static_cast<double>(n));
      EXPECT_LT(std::abs(X[m] - sum), 1e-12 * static_cast<double>(n));  // rounding of n additions
    }
    const std::vector<double> back = inverse_real_fft(X, n);
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(back[j], x[j], 1e-13 * static_cast<double>(n));
  }
}

// Oracle: the sum itself, with angles reduced in whole numbers and long double. Tolerance: three transforms of up to
// 2^14 samples, each with a rounding of about eps log2(n), relative to the length of the signal as a vector.
TEST(Fft, LengthsWithLargePrimeFactorsAreAsExact) {
  for (const std::size_t n : {17U, 127U, 1009U, 2018U, 3 * 1009U, 4093U}) {
    const std::vector<double> x = white(n, n);
    double length = 0.0;
    for (const double v : x) length += v * v;
    const double tolerance = 3.0 * 14.0 * 2.3e-16 * std::sqrt(length);
    std::vector<std::complex<long double>> turn(n);
    for (std::size_t k = 0; k < n; ++k)
      turn[k] = std::polar(
          1.0L, -2.0L * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n));
    const auto X = real_fft(x);
    ASSERT_EQ(X.size(), n / 2 + 1);
    for (std::size_t m = 0; m < X.size(); ++m) {
      std::complex<long double> sum = 0.0L;
      for (std::size_t j = 0; j < n; ++j) sum += static_cast<long double>(x[j]) * turn[j * m % n];
      ASSERT_LT(std::abs(std::complex<long double>(X[m]) - sum), tolerance) << n << " " << m;
    }
    const std::vector<double> back = inverse_real_fft(X, n);
    for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(back[j], x[j], tolerance) << n;
  }
  // Long ones come back too: 1 000 003 is prime. A quadratic transform would take hours.
  const std::vector<double> x = white(1000003, 1);
  const std::vector<double> back = inverse_real_fft(real_fft(x), x.size());
  for (std::size_t j = 0; j < x.size(); ++j) ASSERT_NEAR(back[j], x[j], 1e-12);
}

// A free decay that leaves its range at 60 % of its peak. Oracle: the same decay inside the range, and coarsely
// resolved ones.
TEST(Frf, ClippedResponsesAreTold) {
  std::vector<double> force(4000, 0.0);
  for (const std::size_t hit : {100U, 1400U, 2700U})
    for (std::size_t j = 0; j < 6; ++j) force[hit + j] = 100.0 * std::sin(pi * (static_cast<double>(j) + 0.5) / 6.0);
  const std::vector<double> good = Resonator{.f = 12.0, .sigma = 3.0}.run(force);
  double peak = 0.0;
  for (const double y : good) peak = std::max(peak, std::abs(y));
  const auto told = [&](std::vector<double> y) {
    FrfOptions options;
    options.excitation = ModalExcitation::hammer;
    const FrfEstimate out = estimate_frf({record(force, {good, std::move(y)})}, options);
    int count = 0;
    for (const Finding& f : out.findings) count += f.code == "clipped" && f.severity == Severity::serious;
    return count;
  };
  const auto changed = [&](auto&& change) {
    std::vector<double> y = good;
    for (double& v : y) v = change(v);
    return y;
  };
  EXPECT_EQ(told(good), 0);
  EXPECT_EQ(told(changed([&](double v) { return std::clamp(v, -0.6 * peak, 0.6 * peak); })), 1);
  EXPECT_EQ(told(changed([&](double v) { return std::min(v, 0.8 * peak); })), 1);
  for (const double bits : {6.0, 8.0, 12.0, 16.0}) {
    const double step = peak / std::exp2(bits - 1.0);
    const auto rounded = [&](double v) { return step * std::round(v / step); };
    EXPECT_EQ(told(changed(rounded)), 0) << bits;
    if (bits > 7.0) {
      EXPECT_EQ(told(changed([&](double v) { return rounded(std::clamp(v, -0.6 * peak, 0.6 * peak)); })), 1) << bits;
    }
  }
}

TEST(Windows, HaveTheirTextbookPower) {
  EXPECT_NEAR(mean_square(window(Window::hann, 1000)), 3.0 / 8.0, 1e-12);
  EXPECT_NEAR(mean_square(window(Window::rectangular, 10)), 1.0, 0.0);
  // Flat top: the sum of half the squares of its cosine coefficients.
  EXPECT_NEAR(mean_square(window(Window::flat_top, 1000)),
              1.0 + 0.5 * (1.933 * 1.933 + 1.286 * 1.286 + 0.388 * 0.388 + 0.0322 * 0.0322), 1e-12);
}

// A half sine that leans forward: its spectrum has no zero on a line, unlike that of a half sine proper.
double pulse(std::size_t j) {
  return 100.0 * std::sin(pi * static_cast<double>(j + 1) / 9.0) * std::exp(-0.2 * static_cast<double>(j));
}

// Hits that decay within their block: the estimate is the transfer function itself, up to what is left at the end of a
// block.
TEST(Frf, HammerGivesTheTransferFunctionAndLeavesDoubleHitsOut) {
  std::vector<double> force(10000, 0.0);
  for (const std::size_t at : {500U, 2500U, 4500U, 6500U})
    for (std::size_t j = 0; j < 8; ++j) force[at + j] = pulse(j);
  for (std::size_t j = 0; j < 8; ++j) force[4560 + j] = 0.4 * pulse(j);  // the third hit bounces
  const Resonator r;
  FrfOptions options;
  options.block_s = 1.5;
  const FrfEstimate e = estimate_frf({record(force, {r.run(force)})}, options);
  EXPECT_EQ(e.averages, 3);
  ASSERT_EQ(e.blocks.size(), 4U);
  EXPECT_FALSE(e.blocks[2].used);
  EXPECT_NEAR(e.blocks[2].second_peak, 0.4, 0.01);
  EXPECT_EQ(e.added_decay, 0.0);
  for (std::size_t k = 0; k < e.response.frequency_hz.size(); ++k) {
    const Complex expected = r.at(e.response.frequency_hz[k]);
    EXPECT_LT(std::abs(e.response.channels[0].values[k] - expected),
              1e-9 * std::abs(expected));  // exp(-25 * 1.4) is 1e-15
    EXPECT_GT(e.response.channels[0].coherence[k], 1.0 - 1e-9);
  }
  EXPECT_EQ(e.response.channels[0].output_unit, "m/s^2");
  EXPECT_EQ(label(e.response.channels[0].input), "1+Z");
}

// [signal E42]: the exponential window shifts the transfer function by its decay, exactly.
TEST(Frf, ExponentialWindowAddsItsDecayAndSaysSo) {
  Resonator r;
  r.sigma = 2.0;
  std::vector<double> force(8000, 0.0);
  for (const std::size_t at : {500U, 3000U, 5500U}) force[at] = force[at + 1] = 50.0;
  // Each hit on a structure at rest: responses are joined from separate runs.
  std::vector<double> response(force.size(), 0.0);
  for (const std::size_t at : {500U, 3000U, 5500U}) {
    std::vector<double> single(2400, 0.0);
    single[0] = single[1] = 50.0;
    const std::vector<double> y = r.run(single);
    std::copy(y.begin(), y.end(), response.begin() + static_cast<std::ptrdiff_t>(at));
  }
  FrfOptions options;
  options.block_s = 1.0;
  options.decay_to = 1e-8;
  const FrfEstimate e = estimate_frf({record(force, {response})}, options);
  EXPECT_NEAR(e.added_decay, std::log(1e8) / (1.0 - 0.01), 1e-6);
  for (std::size_t k = 0; k < e.response.frequency_hz.size(); ++k) {
    const Complex expected = r.at(e.response.frequency_hz[k], e.added_decay);
    EXPECT_LT(std::abs(e.response.channels[0].values[k] - expected),
              1e-6 * std::abs(expected));  // exp(-2) 1e-8 is left at the end
  }
}

TEST(Frf, PeriodicExcitationIsExactAndGivesExcitedLinesOnly) {
  constexpr std::size_t n = 500;
  std::vector<Complex> U(n / 2 + 1, 0.0), Y(n / 2 + 1, 0.0);
  RandomStream random(1);
  const Resonator r;
  for (std::size_t m = 10; m <= 150; m += 2) {
    U[m] = 100.0 * std::polar(1.0, random.uniform(0.0, 2.0 * pi));
    Y[m] = U[m] * r.at(static_cast<double>(m) * rate / n);
  }
  const std::vector<double> u = inverse_real_fft(U, n), y = inverse_real_fft(Y, n);
  std::vector<double> force, response;
  for (int period = 0; period < 6; ++period) {
    force.insert(force.end(), u.begin(), u.end());
    response.insert(response.end(), y.begin(), y.end());
  }
  FrfOptions options;
  options.excitation = ModalExcitation::periodic;
  options.block_s = static_cast<double>(n) / rate;
  const FrfEstimate e = estimate_frf({record(force, {response})}, options);
  ASSERT_EQ(e.response.frequency_hz.size(), 71U);
  EXPECT_EQ(e.averages, 5);  // the first period is left to settle
  for (std::size_t k = 0; k < e.response.frequency_hz.size(); ++k) {
    const Complex expected = r.at(e.response.frequency_hz[k]);
    EXPECT_LT(std::abs(e.response.channels[0].values[k] - expected), 1e-10 * std::abs(expected));
  }
}

TEST(Frf, SteppedMultisineJoinsTheLinesOfItsSteps) {
  constexpr std::size_t n = 200;
  const Resonator r;
  std::vector<double> force, response;
  for (int step = 0; step < 3; ++step) {
    std::vector<Complex> U(n / 2 + 1, 0.0), Y(n / 2 + 1, 0.0);
    for (std::size_t m = static_cast<std::size_t>(5 + step); m < 60; m += 3) {
      U[m] = std::polar(10.0, static_cast<double>(m * m));
      Y[m] = U[m] * r.at(static_cast<double>(m) * rate / n);
    }
    const std::vector<double> u = inverse_real_fft(U, n), y = inverse_real_fft(Y, n);
    for (int period = 0; period < 5; ++period) {
      force.insert(force.end(), u.begin(), u.end());
      // The first period of a step is garbage: the structure has not settled.
      for (const double value : y) response.push_back(period == 0 ? 7.0 * value : value);
    }
  }
  FrfOptions options;
  options.excitation = ModalExcitation::multisine;
  options.block_s = 0.2;
  options.step_s = 1.0;
  options.settle_s = 0.2;
  const FrfEstimate e = estimate_frf({record(force, {response})}, options);
  ASSERT_EQ(e.response.frequency_hz.size(), 55U);
  for (std::size_t k = 0; k < e.response.frequency_hz.size(); ++k)
    EXPECT_LT(std::abs(e.response.channels[0].values[k] - r.at(e.response.frequency_hz[k])), 1e-9);
}

// Noise on the output only: H1 is unbiased, and its covariance is what many repetitions scatter by.
TEST(Frf, CovarianceOfASampleIsItsScatter) {
  const Resonator r{60.0, 60.0, 1.0};
  FrfOptions options;
  options.excitation = ModalExcitation::random;
  options.block_s = 0.25;
  std::vector<Complex> sum, squares_mean;
  std::vector<double> square, predicted;
  constexpr int runs = 200;
  for (int run = 0; run < runs; ++run) {
    const std::vector<double> force = white(5000, 10 + static_cast<std::uint64_t>(run));
    std::vector<double> response = r.run(force);
    const std::vector<double> noise = white(5000, 5000 + static_cast<std::uint64_t>(run), 3.0);
    for (std::size_t j = 0; j < response.size(); ++j) response[j] += noise[j];
    const FrfEstimate e = estimate_frf({record(force, {response})}, options);
    const auto& channel = e.response.channels[0];
    sum.resize(channel.values.size());
    square.resize(sum.size());
    predicted.resize(sum.size());
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += channel.values[k];
      square[k] += std::norm(channel.values[k]);
      predicted[k] += channel.covariance[k].re_re + channel.covariance[k].im_im;
    }
  }
  double ratio = 0.0;
  for (std::size_t k = 0; k < sum.size(); ++k)
    ratio += (square[k] / runs - std::norm(sum[k] / static_cast<double>(runs))) / (predicted[k] / runs);
  // The mean of 99 ratios, each known to about 10 %, neighbours correlated: a few percent.
  EXPECT_NEAR(ratio / static_cast<double>(sum.size()), 1.0, 0.1);
}

TEST(Frf, H2IsUnbiasedByForceNoiseAndHvLiesBetween) {
  const Resonator r{60.0, 60.0, 1.0};
  const std::vector<double> truth = white(200000, 3);
  std::vector<double> force = truth;
  const std::vector<double> noise = white(force.size(), 4, 0.5);
  for (std::size_t j = 0; j < force.size(); ++j) force[j] += noise[j];
  const SignalSet set = record(force, {r.run(truth)});
  FrfOptions options;
  options.excitation = ModalExcitation::random;
  const auto ratio = [&](FrfEstimator estimator) {
    options.estimator = estimator;
    const FrfEstimate e = estimate_frf({set}, options);
    double mean = 0.0;
    for (std::size_t k = 0; k < e.response.frequency_hz.size(); ++k)
      mean += std::abs(e.response.channels[0].values[k] / r.at(e.response.frequency_hz[k]));
    return mean / static_cast<double>(e.response.frequency_hz.size());
  };
  // S_uu is larger by 1 + 0.25: H1 = 0.8 H, H2 = H, Hv = sqrt(0.8) H. 400 averages and 400 lines leave below 1 %.
  EXPECT_NEAR(ratio(FrfEstimator::h1), 0.8, 0.01);
  EXPECT_NEAR(ratio(FrfEstimator::h2), 1.0, 0.01);
  EXPECT_NEAR(ratio(FrfEstimator::hv), std::sqrt(0.8), 0.01);
}

TEST(Frf, TwoShakersAreToldApart) {
  const Resonator a{60.0, 60.0, 1.0}, b{120.0, 50.0, -2.0};
  const std::vector<double> u1 = white(100000, 1), u2 = white(100000, 2);
  std::vector<double> y = a.run(u1);
  const std::vector<double> second = b.run(u2);
  for (std::size_t j = 0; j < y.size(); ++j) y[j] += second[j];
  SignalSet set = record(u1, {y});
  set.signals.push_back(signal("force 2", "N", {2, 3, ""}, u2));
  FrfOptions options;
  options.excitation = ModalExcitation::random;
  const FrfEstimate e = estimate_frf({set}, options);
  ASSERT_EQ(e.response.channels.size(), 2U);
  double worst = 0.0;
  for (std::size_t k = 0; k < e.response.frequency_hz.size(); ++k) {
    worst = std::max(worst, std::abs(e.response.channels[0].values[k] / a.at(e.response.frequency_hz[k]) - 1.0));
    worst = std::max(worst, std::abs(e.response.channels[1].values[k] / b.at(e.response.frequency_hz[k]) - 1.0));
  }
  EXPECT_LT(worst, 0.2);  // leakage of blocks of one second at half bandwidths of 8 Hz, and 200 averages
}

TEST(Frf, RefusesWhatItCannotUse) {
  const std::vector<double> x = white(2000, 1);
  SignalSet no_force = record(x, {x});
  no_force.signals[0].unit = "V";
  EXPECT_THROW(estimate_frf({no_force}, {}), Error);
  FrfOptions named;
  named.inputs = {"1+Z"};
  named.excitation = ModalExcitation::random;
  no_force.signals[1].dof.node = 5;
  EXPECT_NO_THROW(estimate_frf({no_force}, named));
  FrfOptions longer;
  longer.excitation = ModalExcitation::burst;
  longer.block_s = 10.0;
  EXPECT_THROW(estimate_frf({record(x, {x})}, longer), Error);
  SignalSet other = record(x, {x});
  other.signals[1].step_s *= 1.1;
  EXPECT_THROW(estimate_frf({other}, named), Error);
}

}  // namespace
}  // namespace kdyn::inline signal
