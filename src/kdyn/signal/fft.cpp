// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/fft.hpp"

#include <unsupported/Eigen/FFT>

#include "kdyn/base/error.hpp"

namespace kdyn {

std::vector<std::complex<double>> real_fft(std::span<const double> samples) {
  if (samples.empty()) return {};
  if (samples.size() == 1) return {samples.front()};  // kissfft has no stage for a single sample
  // The packed real transform of kissfft wants an even length; odd ones go the complex way.
  Eigen::FFT<double> fft;
  std::vector<std::complex<double>> out;
  if (samples.size() % 2 == 0) {
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    const std::vector<double> x(samples.begin(), samples.end());
    fft.fwd(out, x);
    return out;
  }
  const std::vector<std::complex<double>> x(samples.begin(), samples.end());
  fft.fwd(out, x);
  out.resize(samples.size() / 2 + 1);
  return out;
}

std::vector<double> inverse_real_fft(std::span<const std::complex<double>> half_spectrum, std::size_t n) {
  demand(half_spectrum.size() == n / 2 + 1, "a half spectrum has n/2 + 1 values");
  if (n == 1) return {half_spectrum.front().real()};
  std::vector<std::complex<double>> full(n), out;
  for (std::size_t m = 0; m < half_spectrum.size(); ++m) {
    full[m] = half_spectrum[m];
    if (m > 0 && m < n - m) full[n - m] = std::conj(half_spectrum[m]);
  }
  Eigen::FFT<double> fft;
  fft.inv(out, full);
  std::vector<double> real(n);
  for (std::size_t j = 0; j < n; ++j) real[j] = out[j].real();
  return real;
}

}  // namespace kdyn
