// SPDX-License-Identifier: Apache-2.0
// The decoupler of a hydro mount: how much of the displaced fluid volume reaches the chamber rubber.
//
//   [hydromount E5]  d uB / d u2 = K (s0 + (1 - s0) tanh((K u2/D)^2)),   uB = phi(u2)
//
// D clearance (m), K gradient (0 fully decoupled, 1 normal), s0 residual slope: a soft membrane that never lets go
// entirely. phi is odd and monotone. The integral has no closed form; it is tabulated once to 1e-14 and used with its
// exact derivative. Changed from the paper: the printed velocity inside the tanh is dimensionally wrong and ratchets;
// displacement stands there instead.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::inline hydromount {

// Integral of tanh(t^2) from 0 to x (odd), and the describing function of that nonlinearity:
// [hydromount E6]  N1(X) = 2 <tanh((X sin s)^2) cos^2 s>, the first harmonic of the integral at X sin s over X (even).
double decoupler_integral(double x);
double decoupler_gain(double X, double& slope);

// Quintic Hermite: value, slope and curvature are known at both ends of an interval.
struct IntegralTable {
  static constexpr double end = 5.0;  // tanh(25) is 1 in double precision
  static constexpr int intervals = 640;
  std::array<std::array<double, 6>, intervals> piece{};  // coefficients of s = 0 .. 1
  double end_value = 0.0;
  IntegralTable() {
    const double h = end / intervals;
    const auto slope_at = [](double t) { return std::tanh(t * t); };
    const auto curvature_at = [&](double t) { return 2.0 * t * (1.0 - slope_at(t) * slope_at(t)); };
    for (int i = 0; i < intervals; ++i) {
      const double x0 = i * h, f0 = end_value;
      end_value += integrate(h, [&](double t) { return slope_at(x0 + t); });
      const double rise = end_value - f0, d0 = h * slope_at(x0), d1 = h * slope_at(x0 + h),
                   c0 = h * h * curvature_at(x0), c1 = h * h * curvature_at(x0 + h);
      piece[static_cast<std::size_t>(i)] = {f0,
                                            d0,
                                            0.5 * c0,
                                            10.0 * rise - 6.0 * d0 - 4.0 * d1 - 1.5 * c0 + 0.5 * c1,
                                            -15.0 * rise + 8.0 * d0 + 7.0 * d1 + 1.5 * c0 - c1,
                                            6.0 * rise - 3.0 * (d0 + d1) - 0.5 * (c0 - c1)};
    }
  }
};
inline const IntegralTable& integral_table() {
  static const IntegralTable table;
  return table;
}

inline double decoupler_integral(double x) {
  const double a = std::abs(x), sign = x < 0.0 ? -1.0 : 1.0;
  if (a < 0.2) {
    const double q = a * a * a * a;
    return sign * a * a * a * (1.0 / 3.0 - q * (1.0 / 21.0 - q * (2.0 / 165.0 - q * (17.0 / 4725.0))));
  }
  const IntegralTable& table = integral_table();
  if (a >= IntegralTable::end) return sign * (table.end_value + (a - IntegralTable::end));
  const double w = a * (IntegralTable::intervals / IntegralTable::end);
  const auto i = static_cast<std::size_t>(std::min(IntegralTable::intervals - 1.0, std::floor(w)));
  const auto& c = table.piece[i];
  const double s = w - static_cast<double>(i);
  return sign * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))));
}

template <class T>
struct Decoupler {
  T clearance{0.0};       // D; not positive: no decoupler
  T gradient{1.0};        // K
  T residual_slope{0.0};  // s0

  bool present() const { return value_of(clearance) > 0.0; }

  // [hydromount E5]
  T displacement(const T& u2) const {
    if (!present()) return gradient * u2;
    const T x = gradient * u2 / clearance;
    const double at = value_of(x);
    double slope_at = 0.0;
    if constexpr (!std::is_same_v<T, double>) slope_at = std::tanh(at * at);
    return gradient * residual_slope * u2 +
           (1.0 - residual_slope) * clearance * chain(x, decoupler_integral(at), slope_at);
  }
  T slope(const T& u2) const {
    using std::tanh;
    if (!present()) return gradient;
    const T x = gradient * u2 / clearance;
    return gradient * (residual_slope + (1.0 - residual_slope) * tanh(x * x));
  }
  // [hydromount E6] First harmonic of phi(r sin s) over r.
  T describing_function(const T& r) const {
    if (!present()) return gradient;
    const T X = gradient * r / clearance;
    double slope = 0.0;
    const double value = decoupler_gain(value_of(X), slope);
    return gradient * (residual_slope + (1.0 - residual_slope) * chain(X, value, slope));
  }
};

}  // namespace kdyn::inline hydromount
