// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/decoupler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/numerics/quadrature.hpp"

namespace kdyn {
namespace {

constexpr double integral_end = 5.0;  // tanh(25) is 1 in double precision
constexpr int integral_intervals = 640;
constexpr double gain_lower = 0.05, gain_upper = 60.0;
constexpr int gain_intervals = 480;

// Quintic Hermite: value, slope and curvature are known at both ends of an interval.
struct IntegralTable {
  std::vector<std::array<double, 6>> piece;  // coefficients of s = 0 .. 1
  double end_value = 0.0;
  IntegralTable() : piece(integral_intervals) {
    const double h = integral_end / integral_intervals;
    const auto slope_at = [](double t) { return std::tanh(t * t); };
    const auto curvature_at = [&](double t) { return 2.0 * t * (1.0 - slope_at(t) * slope_at(t)); };
    for (int i = 0; i < integral_intervals; ++i) {
      const double x0 = i * h, f0 = end_value;
      end_value += integrate(h, [&](double t) { return slope_at(x0 + t); });
      const double rise = end_value - f0, d0 = h * slope_at(x0), d1 = h * slope_at(x0 + h), c0 = h * h * curvature_at(x0),
                   c1 = h * h * curvature_at(x0 + h);
      piece[static_cast<std::size_t>(i)] = {f0,
                                            d0,
                                            0.5 * c0,
                                            10.0 * rise - 6.0 * d0 - 4.0 * d1 - 1.5 * c0 + 0.5 * c1,
                                            -15.0 * rise + 8.0 * d0 + 7.0 * d1 + 1.5 * c0 - c1,
                                            6.0 * rise - 3.0 * (d0 + d1) - 0.5 * (c0 - c1)};
    }
  }
};
const IntegralTable& integral_table() {
  static const IntegralTable table;
  return table;
}

// Value and derivative of N1 by the periodic trapezoid rule over a quarter period; the integrand is smooth on the scale 1/X.
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

double decoupler_integral(double x) {
  const double a = std::abs(x), sign = x < 0.0 ? -1.0 : 1.0;
  if (a < 0.2) {
    const double q = a * a * a * a;
    return sign * a * a * a * (1.0 / 3.0 - q * (1.0 / 21.0 - q * (2.0 / 165.0 - q * (17.0 / 4725.0))));
  }
  const IntegralTable& table = integral_table();
  if (a >= integral_end) return sign * (table.end_value + (a - integral_end));
  const double w = a * (integral_intervals / integral_end);
  const auto i = static_cast<std::size_t>(std::min(integral_intervals - 1.0, std::floor(w)));
  const auto& c = table.piece[i];
  const double s = w - static_cast<double>(i);
  return sign * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))));
}

double decoupler_gain(double X, double& slope) {
  const double a = std::abs(X), sign = X < 0.0 ? -1.0 : 1.0;
  if (a <= gain_lower) {
    const double q = a * a;
    slope = sign * a * (0.5 - 5.0 / 32.0 * q * q);
    return q * (0.25 - 5.0 / 192.0 * q * q);
  }
  if (a >= gain_upper) {
    // Far above the clearance the decoupler only takes a constant off: 1 - (4/pi) c/X.
    static const double c = 4.0 / std::numbers::pi * (integral_end - integral_table().end_value);
    slope = sign * c / (a * a);
    return 1.0 - c / a;
  }
  const GainTable& table = gain_table();
  const double w = std::log(a / gain_lower) / table.h;
  const auto i = static_cast<std::size_t>(std::min(gain_intervals - 1.0, std::floor(w)));
  const double s = w - static_cast<double>(i), f0 = table.value[i], f1 = table.value[i + 1], d0 = table.h * table.slope[i],
               d1 = table.h * table.slope[i + 1];
  const double c2 = 3.0 * (f1 - f0) - 2.0 * d0 - d1, c3 = 2.0 * (f0 - f1) + d0 + d1;
  slope = sign * (d0 + s * (2.0 * c2 + 3.0 * s * c3)) / (table.h * a);
  return f0 + s * (d0 + s * (c2 + s * c3));
}

}  // namespace kdyn
