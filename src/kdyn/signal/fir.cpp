// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/fir.hpp"

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"

namespace kdyn::inline signal {
namespace {

// Modified Bessel function of the first kind, order 0.
double bessel_i0(double x) {
#ifdef __cpp_lib_math_special_functions
  return std::cyl_bessel_i(0.0, x);
#else  // libc++ has none: its power series, whose terms are all positive
  double term = 1.0, sum = 1.0;
  for (int k = 1; term > 1e-17 * sum; ++k) sum += term *= 0.25 * x * x / (static_cast<double>(k) * k);
  return sum;
#endif
}

}  // namespace

std::vector<double> low_pass_taps(double cutoff_hz, double transition_hz, double rate_hz) {
  demand(cutoff_hz > 0.0 && transition_hz > 0.0 && rate_hz > 2.0 * cutoff_hz,
         "a low-pass lies below half of the sampling rate");
  // Kaiser's formulas for 80 dB.
  constexpr double beta = 0.1102 * (80.0 - 8.7);
  const double width = 2.0 * std::numbers::pi * transition_hz / rate_hz;
  const int half = static_cast<int>(std::ceil(0.5 * (80.0 - 7.95) / (2.285 * width)));
  std::vector<double> taps(static_cast<std::size_t>(2 * half + 1));
  double sum = 0.0;
  for (int j = -half; j <= half; ++j) {  // [signal E20]
    const double x = 2.0 * cutoff_hz / rate_hz * j, t = static_cast<double>(j) / (half + 1);
    const double sinc = j == 0 ? 1.0 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
    const double tap = sinc * bessel_i0(beta * std::sqrt(1.0 - t * t));
    taps[static_cast<std::size_t>(j + half)] = tap;
    sum += tap;
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

std::vector<double> filter_inside(std::span<const double> signal, std::span<const double> taps) {
  if (signal.size() < taps.size() || taps.empty()) return {};
  std::vector<double> out(signal.size() - taps.size() + 1, 0.0);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t j = 0; j < taps.size(); ++j) out[i] += taps[j] * signal[i + taps.size() - 1 - j];
  return out;
}

std::vector<double> block_means(std::span<const double> signal, std::size_t block) {
  demand(block > 0, "a block has samples");
  std::vector<double> out(signal.size() / block, 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < block; ++j) out[i] += signal[i * block + j];
    out[i] /= static_cast<double>(block);
  }
  return out;
}

}  // namespace kdyn::inline signal
