// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transform of real samples, any length; kissfft as shipped with Eigen does the work.
//
//   [signal E40] X_m = sum_j x_j exp(-2 pi i j m/n), m = 0 .. n/2
//   [signal E47] any length in a time of n log n: those with prime factors above 13 go by a convolution
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace kdyn::inline signal {

// n/2 + 1 values, not scaled.
std::vector<std::complex<double>> real_fft(std::span<const double> samples);
// The n real samples of such a half spectrum (scaled by 1/n, so that it undoes real_fft).
std::vector<double> inverse_real_fft(std::span<const std::complex<double>> half_spectrum, std::size_t n);

}  // namespace kdyn::inline signal
