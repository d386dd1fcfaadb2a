// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kdyn/base/error.hpp"
#include "kdyn/signal/fft.hpp"

namespace kdyn::inline signal {

std::size_t fast_length(std::size_t n) {
  for (std::size_t length = std::max<std::size_t>(n, 1);; ++length) {
    std::size_t rest = length;
    for (const std::size_t factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

Psd power_spectral_density(std::span<const double> signal, double rate_hz, double resolution_hz) {
  demand(rate_hz > 0.0 && resolution_hz > 0.0, "a spectrum has a rate and a resolution");
  Psd out;
  if (signal.size() < 4) return out;
  // Even, so that the last line is the Nyquist frequency; not longer than the signal.
  std::size_t n = fast_length(std::max<std::size_t>(4, static_cast<std::size_t>(std::ceil(rate_hz / resolution_hz))));
  while (n % 2 != 0) n = fast_length(n + 1);
  if (n > signal.size()) n = signal.size() - signal.size() % 2;
  std::vector<double> window(n);
  double square = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    window[i] = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n));
    square += window[i] * window[i];
  }
  out.density.assign(n / 2 + 1, 0.0);
  std::vector<double> segment(n);
  for (std::size_t start = 0; start + n <= signal.size(); start += n / 2) {
    const auto part = signal.subspan(start, n);
    const double mean = std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) segment[i] = (part[i] - mean) * window[i];
    const auto spectrum = real_fft(segment);
    for (std::size_t k = 0; k < out.density.size(); ++k) out.density[k] += std::norm(spectrum[k]);
    ++out.segments;
  }
  out.resolution_hz = rate_hz / static_cast<double>(n);
  for (std::size_t k = 0; k < out.density.size(); ++k) {  // [signal E21]
    const bool edge = k == 0 || 2 * k == n;
    out.density[k] *= (edge ? 1.0 : 2.0) / (rate_hz * square * static_cast<double>(out.segments));
    out.frequency_hz.push_back(static_cast<double>(k) * out.resolution_hz);
  }
  return out;
}

}  // namespace kdyn::inline signal
