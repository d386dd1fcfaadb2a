// SPDX-License-Identifier: Apache-2.0
#include "kdyn/assess/weighting.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/signal/fft.hpp"
#include "kdyn/signal/spectrum.hpp"

namespace kdyn::inline assess {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

// ISO 2631-1:1997, Tables A.1 and A.2; frequencies in Hz.
struct Constants {
  const char *name, *meaning;
  double f3, f4, Q4, f5, Q5, f6, Q6;
};
constexpr std::array<Constants, 5> constants = {{
    {"Wk", "vertical, seat and feet", 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91},
    {"Wd", "horizontal, seat", 2.0, 2.0, 0.63, none, 0.0, none, 0.0},
    {"Wc", "fore-and-aft, backrest", 8.0, 8.0, 0.63, none, 0.0, none, 0.0},
    {"We", "rotations, seat", 1.0, 1.0, 0.63, none, 0.0, none, 0.0},
    {"Wj", "vertical, head of a lying person", none, none, 0.0, 3.75, 0.91, 5.32, 0.91},
}};
constexpr double f1 = 0.4, f2 = 100.0;

const Constants& of(Weighting w) { return constants[static_cast<std::size_t>(w)]; }

}  // namespace

const char* to_string(Weighting w) { return of(w).name; }
const char* meaning_of(Weighting w) { return of(w).meaning; }

std::optional<Weighting> weighting_named(std::string_view name) {
  for (std::size_t i = 0; i < constants.size(); ++i)
    if (name == constants[i].name) return static_cast<Weighting>(i);
  return std::nullopt;
}

std::complex<double> weighting_response(Weighting weighting, double f) {
  using C = std::complex<double>;
  if (!(f > 0.0)) return 0.0;
  const Constants& c = of(weighting);
  const C i(0.0, 1.0);
  // [assess E1]; only ratios of frequencies matter, so 2 pi drops out.
  const C high = 1.0 / (1.0 + std::numbers::sqrt2 * f1 / (i * f) - f1 * f1 / (f * f));
  const C low = 1.0 / (1.0 + std::numbers::sqrt2 * i * f / f2 - f * f / (f2 * f2));
  C H = high * low;
  if (std::isfinite(c.f4)) H *= (1.0 + i * f / c.f3) / (1.0 + i * f / (c.Q4 * c.f4) - f * f / (c.f4 * c.f4));
  if (std::isfinite(c.f5))
    H *= (1.0 + i * f / (c.Q5 * c.f5) - f * f / (c.f5 * c.f5)) / (1.0 + i * f / (c.Q6 * c.f6) - f * f / (c.f6 * c.f6)) *
         (c.f5 / c.f6) * (c.f5 / c.f6);
  return H;
}

std::vector<double> apply_weighting(std::span<const double> acceleration, double rate_hz, Weighting weighting) {
  demand(rate_hz > 0.0, "a signal has a sampling rate");
  if (acceleration.empty()) return {};
  // [assess E2] The slowest part of H is the high-pass at 0.4 Hz: after 10 s of zeros its ringing is below 1e-7.
  const auto zeros = static_cast<std::size_t>(std::ceil(10.0 * rate_hz));
  std::size_t n = fast_length(acceleration.size() + zeros);
  while (n % 2 != 0) n = fast_length(n + 1);
  std::vector<double> padded(acceleration.begin(), acceleration.end());
  padded.resize(n, 0.0);
  auto spectrum = real_fft(padded);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= weighting_response(weighting, rate_hz * static_cast<double>(k) / static_cast<double>(n));
  spectrum.back() = spectrum.back().real();  // the Nyquist line of a real signal has no phase
  std::vector<double> out = inverse_real_fft(spectrum, n);
  out.resize(acceleration.size());
  return out;
}

}  // namespace kdyn::inline assess
