// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/mode_set.hpp"

#include <cmath>
#include <numbers>

namespace kdyn::inline data {

double Mode::frequency_hz() const { return std::abs(pole) / (2.0 * std::numbers::pi); }

double Mode::damping_ratio() const {
  const double size = std::abs(pole);
  return size > 0.0 ? -pole.real() / size : 0.0;
}

std::complex<double> pole_of(double frequency_hz, double damping_ratio) {
  const double omega = 2.0 * std::numbers::pi * frequency_hz;
  return {-damping_ratio * omega, omega * std::sqrt(std::max(0.0, 1.0 - damping_ratio * damping_ratio))};
}

}  // namespace kdyn::inline data
