// SPDX-License-Identifier: Apache-2.0
// First harmonic of the pressure limit [hydromount E7]: a one-sided limit does show in it.
//
// Fluid that can flow has no mean force in a steady state, so the chamber moves to the mean at which the limited force
// has none, and the first harmonic shrinks by a gain that depends on the force amplitude A alone  [hydromount E18]:
//   < L(b + A cos s) > = 0 gives b <= 0;   gain = 2 < L(b + A cos s) cos s > / A
// The force is taken as a sine about its mean; what friction adds to its shape is left to the harmonic balance.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "kdyn/hydromount/fluid.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline hydromount {

template <class T>
struct LimitedHarmonic {
  T gain{1.0}, mean{0.0};  // of the first harmonic; force b about which the force before the limit swings
};

// Forces: amplitude before the limit, limit, smoothing; all above 0.
template <class T>
LimitedHarmonic<T> limited_harmonic(const T& amplitude, const T& limit, const T& smoothing) {
  constexpr int points = 32;
  struct Cosines {
    std::array<double, points> at;
    Cosines() {
      for (int i = 0; i < points; ++i)
        at[static_cast<std::size_t>(i)] = std::cos(std::numbers::pi * (i + 0.5) / points);
    }
  };
  static const Cosines cosine;
  const double A = value_of(amplitude), P = value_of(limit), e = value_of(smoothing);
  // The mean of L rises with b and is convex: Newton comes down from b = 0 without overshooting.
  double b = 0.0, slope = 1.0;
  for (int pass = 0; pass < 60; ++pass) {
    double mean = 0.0, rise = 0.0;
    for (const double c : cosine.at) {
      mean += limited_pressure(b + A * c, P, e) / points;
      rise += limited_pressure_slope(b + A * c, P, e) / points;
    }
    slope = rise;
    const double change = mean / rise;
    b -= change;
    if (!(std::abs(change) > 1e-10 * (A + P))) break;
  }
  // One step in T makes the derivatives exact.
  T mean(0.0);
  for (const double c : cosine.at) mean += limited_pressure(T(b + c * amplitude), limit, smoothing);
  const T centre = b - mean / (points * slope);
  T first(0.0);
  for (const double c : cosine.at) first += c * limited_pressure(T(centre + c * amplitude), limit, smoothing);
  return {2.0 / points * first / amplitude, centre};
}

// Long Jets: three quantities are differentiated in a short one.
template <int N>
LimitedHarmonic<Jet<N>> limited_harmonic(const Jet<N>& amplitude, const Jet<N>& limit,
                                         const Jet<N>& smoothing) requires(N > 3) {
  using S = Jet<3>;
  const LimitedHarmonic<S> y = limited_harmonic(S(amplitude.a, 0), S(limit.a, 1), S(smoothing.a, 2));
  const auto lengthen = [&](const S& value) {
    Jet<N> out(value.a);
    out.v += value.v[0] * amplitude.v;
    out.v += value.v[1] * limit.v;
    out.v += value.v[2] * smoothing.v;
    return out;
  };
  return {lengthen(y.gain), lengthen(y.mean)};
}

}  // namespace kdyn::inline hydromount
