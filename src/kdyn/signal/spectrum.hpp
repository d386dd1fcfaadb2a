// SPDX-License-Identifier: Apache-2.0
// Power spectral density.
//
// [signal E21] Welch: segments of n samples that overlap by half, each without its mean and under a Hann window w, are
// transformed; the mean of |X|^2 times 2/(fs sum w^2) is the one-sided density (half of it at 0 Hz and at the Nyquist
// frequency). Its integral is the variance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kdyn::inline signal {

// The smallest length >= n whose only prime factors are 2, 3 and 5: transforms of it are fast.
std::size_t fast_length(std::size_t n);

struct Psd {
  std::vector<double> frequency_hz, density;  // unit^2/Hz
  std::size_t segments = 0;                   // averaged; few of them make a rough spectrum
  double resolution_hz = 0.0;
};
// The whole signal is one segment when it is shorter than the resolution asks for.
Psd power_spectral_density(std::span<const double> signal, double rate_hz, double resolution_hz);

}  // namespace kdyn::inline signal
