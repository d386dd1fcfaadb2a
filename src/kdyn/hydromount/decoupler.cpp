// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/decoupler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::inline hydromount {
namespace {

constexpr double gain_lower = 0.05, gain_upper = 60.0;
constexpr int gain_intervals = 480;

// Value and derivative of N1 by the periodic trapezoid rule over a quarter period; the integrand is smooth on the scale
// 1/X.
void gain_by_quadrature(double X, double& value, double& slope) {
  const int points = 64 + static_cast<int>(16.0 * X);
  value = slope = 0.0;
  for (int i = 0; i < points; ++i) {
    const double s = 0.5 * std::numbers::pi * (i + 0.5) / points;
    const double sine = std::sin(s), cosine = std::cos(s), z = X * X * sine * sine, t = std::tanh(z);
    value += 2.0 * t * cosine * cosine / points;
    slope += 2.0 * (1.0 - t * t) * 2.0 * X * sine * sine * cosine * cosine / points;
  }
}

// Cubic Hermite over ln X.
struct GainTable {
  std::vector<double> value, slope;  // N1 and dN1/d(ln X)
  double h = std::log(gain_upper / gain_lower) / gain_intervals;
  GainTable() : value(gain_intervals + 1), slope(gain_intervals + 1) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double X = gain_lower * std::exp(h * static_cast<double>(i));
      gain_by_quadrature(X, value[i], slope[i]);
      slope[i] *= X;
    }
  }
};
const GainTable& gain_table() {
  static const GainTable table;
  return table;
}

}  // namespace

double decoupler_gain(double X, double& slope) {
  const double a = std::abs(X), sign = X < 0.0 ? -1.0 : 1.0;
  if (a <= gain_lower) {
    const double q = a * a;
    slope = sign * a * (0.5 - 5.0 / 32.0 * q * q);
    return q * (0.25 - 5.0 / 192.0 * q * q);
  }
  if (a >= gain_upper) {
    // Far above the clearance the decoupler only takes a constant off: 1 - (4/pi) c/X.
    static const double c = 4.0 / std::numbers::pi * (IntegralTable::end - integral_table().end_value);
    slope = sign * c / (a * a);
    return 1.0 - c / a;
  }
  const GainTable& table = gain_table();
  const double w = std::log(a / gain_lower) / table.h;
  const auto i = static_cast<std::size_t>(std::min(gain_intervals - 1.0, std::floor(w)));
  const double s = w - static_cast<double>(i), f0 = table.value[i], f1 = table.value[i + 1],
               d0 = table.h * table.slope[i], d1 = table.h * table.slope[i + 1];
  const double c2 = 3.0 * (f1 - f0) - 2.0 * d0 - d1, c3 = 2.0 * (f0 - f1) + d0 + d1;
  slope = sign * (d0 + s * (2.0 * c2 + 3.0 * s * c3)) / (table.h * a);
  return f0 + s * (d0 + s * (c2 + s * c3));
}

}  // namespace kdyn::inline hydromount
