// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/windows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kdyn::inline signal {

std::vector<double> window(Window kind, std::size_t n) {
  std::vector<double> w(n, 1.0);
  if (kind == Window::rectangular) return w;
  for (std::size_t j = 0; j < n; ++j) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
    if (kind == Window::hann) {
      w[j] = 0.5 - 0.5 * std::cos(phase);  // [signal E41]
    } else {
      constexpr std::array<double, 5> a = {1.0, -1.933, 1.286, -0.388, 0.0322};
      w[j] = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) w[j] += a[i] * std::cos(static_cast<double>(i) * phase);
    }
  }
  return w;
}

std::vector<double> force_window(std::size_t n, std::size_t hold, std::size_t taper) {
  std::vector<double> w(n, 0.0);
  for (std::size_t j = 0; j < std::min(n, hold + taper); ++j) {
    const double s = j < hold ? 0.0 : static_cast<double>(j - hold + 1) / static_cast<double>(taper + 1);
    w[j] = 0.5 + 0.5 * std::cos(std::numbers::pi * s);  // [signal E42]
  }
  return w;
}

std::vector<double> exponential_window(std::size_t n, double step_s, double tau_s) {
  std::vector<double> w(n);
  for (std::size_t j = 0; j < n; ++j) w[j] = std::exp(-step_s * static_cast<double>(j) / tau_s);
  return w;
}

double mean_square(const std::vector<double>& w) {
  double sum = 0.0;
  for (const double value : w) sum += value * value;
  return w.empty() ? 0.0 : sum / static_cast<double>(w.size());
}

}  // namespace kdyn::inline signal
