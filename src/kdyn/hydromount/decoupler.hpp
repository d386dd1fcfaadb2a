// SPDX-License-Identifier: Apache-2.0
// The decoupler of a hydro mount: how much of the displaced fluid volume reaches the chamber rubber.
//
//   [hydromount E5]  d uB / d u2 = K (s0 + (1 - s0) tanh((K u2/D)^2)),   uB = phi(u2)
//
// D clearance (m), K gradient (0 fully decoupled, 1 normal), s0 residual slope: a soft membrane that never lets go entirely.
// phi is odd and monotone. The integral has no closed form; it is tabulated once to 1e-14 and used with its exact derivative.
// Changed from the paper: the printed velocity inside the tanh is dimensionally wrong and ratchets; displacement stands there instead.
#pragma once

#include <type_traits>

#include "kdyn/numerics/jet.hpp"

namespace kdyn {

// Integral of tanh(t^2) from 0 to x (odd), and the describing function of that nonlinearity:
// [hydromount E6]  N1(X) = 2 <tanh((X sin s)^2) cos^2 s>, the first harmonic of the integral at X sin s over X (even).
double decoupler_integral(double x);
double decoupler_gain(double X, double& slope);

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
    return gradient * residual_slope * u2 + (1.0 - residual_slope) * clearance * chain(x, decoupler_integral(at), slope_at);
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

}  // namespace kdyn
