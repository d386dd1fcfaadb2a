// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/spectrum.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/signal/fir.hpp"

namespace kdyn::inline signal {
namespace {

TEST(Spectrum, FastLengthsHaveSmallFactors) {
  EXPECT_EQ(fast_length(97), 100u);
  EXPECT_EQ(fast_length(1), 1u);
  EXPECT_EQ(fast_length(128), 128u);
}

TEST(Spectrum, DensityIntegratesToTheVariance) {
  RandomStream random(5);
  std::vector<double> noise;
  for (int i = 0; i < 200000; ++i) noise.push_back(2.0 * random.normal());
  const Psd psd = power_spectral_density(noise, 1000.0, 1.0);
  double area = 0.0;
  for (const double d : psd.density) area += d * psd.resolution_hz;
  EXPECT_NEAR(area, 4.0, 0.06);  // statistics of 200000 samples: 0.3 %, edges of the window the rest
  EXPECT_NEAR(psd.density[100], 4.0 / 500.0,
              4.0 / 500.0 * 0.25);  // white: variance over the band; 400 segments scatter by 5 %
  EXPECT_GT(psd.segments, 300u);
}

TEST(Spectrum, SineOfKnownPower) {
  std::vector<double> sine;
  for (int i = 0; i < 20000; ++i) sine.push_back(3.0 * std::sin(2.0 * std::numbers::pi * 12.34 * i / 500.0) + 7.0);
  const Psd psd = power_spectral_density(sine, 500.0, 0.5);
  double power = 0.0;
  std::size_t top = 0;
  for (std::size_t k = 0; k < psd.density.size(); ++k) {
    power += psd.density[k] * psd.resolution_hz;
    if (psd.density[k] > psd.density[top]) top = k;
  }
  EXPECT_NEAR(power, 4.5, 0.01);  // the mean is taken out, a sine of amplitude 3 has 4.5
  EXPECT_NEAR(psd.frequency_hz[top], 12.34, 0.5);
}

TEST(Fir, LowPassKeepsAndStopsWhatItShould) {
  const auto taps = low_pass_taps(16.0, 8.0, 1000.0);
  const auto gain = [&](double hz) {
    std::complex<double> sum;
    for (std::size_t j = 0; j < taps.size(); ++j)
      sum += taps[j] * std::polar(1.0, -2.0 * std::numbers::pi * hz * static_cast<double>(j) / 1000.0);
    return std::abs(sum);
  };
  EXPECT_NEAR(gain(0.0), 1.0, 1e-12);
  EXPECT_NEAR(gain(11.0), 1.0, 2e-3);
  EXPECT_NEAR(gain(16.0), 0.5, 1e-2);
  for (double hz = 20.5; hz < 500.0; hz += 3.3) EXPECT_LT(gain(hz), 2e-4) << hz;
  EXPECT_EQ(filter_inside(std::vector<double>{1, 2, 3, 4}, std::vector<double>{0.5, 0.5}),
            (std::vector<double>{1.5, 2.5, 3.5}));
  EXPECT_TRUE(filter_inside(std::vector<double>{1}, std::vector<double>{0.5, 0.5}).empty());
  EXPECT_EQ(block_means(std::vector<double>{1, 3, 5, 7, 9}, 2), (std::vector<double>{2, 6}));
}

}  // namespace
}  // namespace kdyn::inline signal
