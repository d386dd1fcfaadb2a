// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/fft.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

#include <unsupported/Eigen/FFT>

#include "kdyn/base/error.hpp"

namespace kdyn::inline signal {
namespace {

using Complex = std::complex<double>;

// kissfft takes time proportional to n times the largest prime factor; small ones are its home.
bool has_small_factors(std::size_t n) {
  for (const std::size_t factor : {2, 3, 5, 7, 11, 13})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

// [signal E47] exp(-i pi j^2/n); j^2 is taken modulo 2 n in whole numbers, so that the angle has all its digits however
// long the signal.
std::vector<Complex> chirp(std::size_t n) {
  std::vector<Complex> out(n);
  std::uint64_t square = 0;  // j^2 modulo 2 n, by adding 2 j + 1
  for (std::size_t j = 0; j < n; ++j) {
    out[j] = std::polar(1.0, -std::numbers::pi * static_cast<double>(square) / static_cast<double>(n));
    square = (square + 2 * j + 1) % (2 * n);
  }
  return out;
}

// Any length in a time of n log n, by a convolution whose length is a power of two.
std::vector<Complex> chirp_transform(const std::vector<Complex>& x) {
  const std::size_t n = x.size();
  std::size_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  const std::vector<Complex> w = chirp(n);
  std::vector<Complex> a(m), b(m), A, B;
  for (std::size_t j = 0; j < n; ++j) a[j] = x[j] * w[j];
  b[0] = 1.0;
  for (std::size_t j = 1; j < n; ++j) b[j] = b[m - j] = std::conj(w[j]);
  Eigen::FFT<double> fft;
  fft.fwd(A, a);
  fft.fwd(B, b);
  for (std::size_t k = 0; k < m; ++k) A[k] *= B[k];
  fft.inv(a, A);
  std::vector<Complex> out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = a[k] * w[k];
  return out;
}

}  // namespace

std::vector<Complex> real_fft(std::span<const double> samples) {
  if (samples.empty()) return {};
  if (samples.size() == 1) return {samples.front()};  // kissfft has no stage for a single sample
  Eigen::FFT<double> fft;
  std::vector<Complex> out;
  const bool small = has_small_factors(samples.size());
  // The packed real transform of kissfft wants an even length; odd ones go the complex way.
  if (small && samples.size() % 2 == 0) {
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    const std::vector<double> x(samples.begin(), samples.end());
    fft.fwd(out, x);
    return out;
  }
  const std::vector<Complex> x(samples.begin(), samples.end());
  if (small)
    fft.fwd(out, x);
  else
    out = chirp_transform(x);
  out.resize(samples.size() / 2 + 1);
  return out;
}

std::vector<double> inverse_real_fft(std::span<const Complex> half_spectrum, std::size_t n) {
  demand(half_spectrum.size() == n / 2 + 1, "a half spectrum has n/2 + 1 values");
  if (n == 1) return {half_spectrum.front().real()};
  std::vector<Complex> full(n), out;
  for (std::size_t m = 0; m < half_spectrum.size(); ++m) {
    full[m] = half_spectrum[m];
    if (m > 0 && m < n - m) full[n - m] = std::conj(half_spectrum[m]);
  }
  std::vector<double> real(n);
  if (has_small_factors(n)) {
    Eigen::FFT<double> fft;
    fft.inv(out, full);
    for (std::size_t j = 0; j < n; ++j) real[j] = out[j].real();
    return real;
  }
  // The inverse is the transform of the conjugate; the samples are real.
  for (Complex& value : full) value = std::conj(value);
  out = chirp_transform(full);
  for (std::size_t j = 0; j < n; ++j) real[j] = out[j].real() / static_cast<double>(n);
  return real;
}

}  // namespace kdyn::inline signal
