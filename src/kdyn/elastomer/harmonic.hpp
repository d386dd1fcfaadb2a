// SPDX-License-Identifier: Apache-2.0
// Closed-form response of the elastomer to a steady sine u = u0 + a cos(w t): what a rig would measure, without
// simulating.
//
// Two data reductions, as on real rigs:
//   first harmonic  K = k_dyn exp(i delta) of F/u  [elastomer E19]
//   loop            k_dyn = (Fmax - Fmin)/(2a), delta = asin(A/(pi a^2 k_dyn)) with the loop area A  [elastomer E20]
// Amplitude a in m (zero to peak), frequency in Hz. The displacement is controlled: u0 stays the static displacement of
// the preload. Derivatives: call with Elastomer<Jet<N>>. The maximum of the loop is found in double and evaluated with
// T at the same place, which is its exact derivative (the first-order change of the place does not matter at a
// maximum).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/numerics/hypergeometric.hpp"

namespace kdyn::inline elastomer {

// Dynamic stiffness magnitude (N/m) and loss angle (rad) of one data reduction.
template <class T>
struct DynamicStiffness {
  T k_dyn{0.0}, loss_angle{0.0};
};

// (exp(x) - 1)/x with its derivatives, also at x = 0.
template <class T>
T expm1_ratio(const T& x) {
  using std::expm1;
  if (std::abs(value_of(x)) > 0.1) return expm1(x) / x;
  T sum(1.0 / 39916800.0);  // 1/11!; what is left out is below 1e-19
  for (const double factorial : {3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0})
    sum = sum * x + 1.0 / factorial;
  return sum;
}

// Area of the steady friction loop, over k_stat (m^2)  [elastomer E10] [elastomer E15].
template <class T>
T friction_loop_area(const Friction<T>& p, const T& a) {
  using std::log1p;
  if (value_of(p.rho) <= 0.0 || value_of(p.rdl) <= 0.0) return T(0.0);
  const T X = 2.0 * p.rho * a;
  const T L = log1p(X);
  if (!p.limited()) {
    // (1 + X/2) ln(1+X) - X, by its series where the difference would lose digits.
    if (value_of(X) < 2e-2) {
      const T series =
          X * X * X *
          (1.0 / 12.0 - X * (1.0 / 12.0 - X * (3.0 / 40.0 - X * (1.0 / 15.0 - X * (5.0 / 84.0 - X * (3.0 / 56.0))))));
      return 2.0 * p.rdl / p.rho * series;
    }
    return 2.0 * p.rdl / p.rho * ((1.0 + 0.5 * X) * L - X);
  }
  const T tip = backbone(p, a);
  if (p.law == FrictionLaw::masing) return 8.0 * backbone_area(p, a) - 4.0 * a * tip;
  // The closed form is a small difference of large terms for small loops; there the branch is integrated.
  if (value_of(X) < 0.05)
    return 2.0 * integrate(T(2.0 * a), [&](const T& distance) { return g4_branch(p, T(-tip), distance); });
  const T one_minus_n = 1.0 - p.exponent();
  const T power = L * expm1_ratio(T(one_minus_n * L));  // ((1 + X)^(1-n) - 1)/(1-n)
  return 2.0 * (2.0 * a * *p.ymax - (*p.ymax + tip) * power / p.rho);
}

// First-harmonic stiffness of friction over k_stat  [elastomer E11] [elastomer E16].
template <class T>
Complex<T> friction_stiffness(const Friction<T>& p, const T& a) {
  using std::exp;
  using std::log;
  using std::sqrt;
  if (value_of(p.rho) <= 0.0 || value_of(p.rdl) <= 0.0) return {};
  const T loss = friction_loop_area(p, a) / (std::numbers::pi * a * a);
  const T root = sqrt(1.0 + 2.0 * p.rho * a);
  const T r_over_a = 2.0 * p.rho / ((1.0 + root) * (1.0 + root));  // r/a, without cancellation for small a
  if (!p.limited()) return {2.0 * p.rdl * r_over_a, loss};
  const T tip = backbone(p, a);
  if (p.law == FrictionLaw::g4) {
    const T n = p.exponent();
    const T r = r_over_a * a;
    const T B_power = exp(-2.0 * n * log(0.5 * (1.0 + root)));
    return {2.0 * (*p.ymax + tip) * B_power * n * r_over_a * hypergeometric_2f1(n, T(n + 1.0), 2.0, T(r * r)), loss};
  }
  // Periodic trapezoid rule: converges geometrically; the number of points grows with the sharpness of the knee.
  const int points = 16 + static_cast<int>(std::min(4000.0, 8.0 * std::sqrt(2.0 * value_of(p.rho) * value_of(a)) *
                                                                (1.0 + value_of(p.exponent()))));
  T sum(0.0);
  for (int i = 0; i < points; ++i) {
    const double c = std::cos(std::numbers::pi * (i + 0.5) / points);
    sum += c * (tip - 2.0 * backbone(p, T(0.5 * (1.0 - c) * a)));
  }
  return {2.0 / a * sum / static_cast<double>(points), loss};
}

// A static part is anything with force(u) and slope(u); stiffness k at the operating point comes apart because scale
// factors of the static part do not act on it  [elastomer E21].
template <class T>
struct StaticPart {
  const Elastomer<T>& law;
  T force(const T& u) const { return law.static_force(u); }
  T slope(const T& u) const { return law.static_slope(u); }
  bool straight() const { return !law.curve; }
  static constexpr int quadrature_points = 64;  // a curve with kinks in its second derivative
};

// cos of the midpoints of a half period: where periodic rules look at a path. The same for every row of every map.
template <int points>
const std::array<double, points>& half_period_cosines() {
  static const std::array<double, points> cosines = [] {
    std::array<double, points> c{};
    for (int i = 0; i < points; ++i) c[static_cast<std::size_t>(i)] = std::cos(std::numbers::pi * (i + 0.5) / points);
    return c;
  }();
  return cosines;
}

// First harmonic of the static part: the slope of a constant spring, the describing function of a curve  [elastomer
// E21].
template <class T, class Statics>
T static_harmonic(const Statics& statics, const T& u0, const T& a) {
  if (statics.straight()) return statics.slope(u0);
  constexpr int points = Statics::quadrature_points;
  const auto& cosines = half_period_cosines<points>();
  T sum(0.0);
  if constexpr (requires { statics.weighted_sum(u0, a, cosines); })
    sum = statics.weighted_sum(u0, a, cosines);
  else
    for (const double c : cosines) sum += c * statics.force(T(u0 + c * a));
  return 2.0 / (a * static_cast<double>(points)) * sum;
}

// What the first harmonic owes to amplitude and operating point; only the Kelvin-Voigt chain depends on frequency, so that
// many frequencies share one of these.
template <class T>
struct HarmonicAtAmplitude {
  T statics{0.0}, k{0.0};
  Complex<T> friction;
};
template <class T, class Statics>
HarmonicAtAmplitude<T> harmonic_at_amplitude(const Elastomer<T>& law, const Statics& statics, const T& k, const T& a,
                                             const T& u0) {
  return {static_harmonic(statics, u0, a), k, friction_stiffness(law.friction(), a)};
}

// [elastomer E19] First harmonic of force over displacement about the static displacement u0, for a static part of
// stiffness k there.
template <class T>
Complex<T> harmonic_stiffness(const Elastomer<T>& law, const HarmonicAtAmplitude<T>& at, double frequency_hz) {
  const Complex<T> linear = law.kelvin_voigt().stiffness(2.0 * std::numbers::pi * frequency_hz);
  const Complex<T> dynamic = at.k * (law.scale_freq * linear + law.scale_ampl * at.friction);
  return {at.statics + dynamic.re, dynamic.im};
}
template <class T, class Statics>
Complex<T> harmonic_stiffness(const Elastomer<T>& law, const Statics& statics, const T& k, double frequency_hz,
                              const T& a, const T& u0) {
  return harmonic_stiffness(law, harmonic_at_amplitude(law, statics, k, a, u0), frequency_hz);
}

// [elastomer E20] Loop reduction for the same static part.
template <class T, class Statics>
DynamicStiffness<T> loop_reduction(const Elastomer<T>& law, const Statics& statics, const T& k, double frequency_hz,
                                   const T& a, const T& u0) {
  using std::asin;
  const Friction<T> p = law.friction();
  const Complex<T> G = law.scale_freq * law.kelvin_voigt().stiffness(2.0 * std::numbers::pi * frequency_hz);
  const double kv = value_of(k), av = value_of(a);
  const Friction<double> plain{p.law, value_of(p.rdl), value_of(p.rho),
                               p.ymax ? std::optional<double>(value_of(*p.ymax)) : std::nullopt};
  const double straight_slope = statics.straight() ? value_of(statics.slope(u0)) : 0.0;

  // Force of the dynamic parts on the rising branch, u = u0 + a cos(psi), psi running from pi to 0; the falling branch
  // mirrors it.
  const auto dynamic = [&](double psi) {
    const double c = std::cos(psi), s = std::sin(psi);
    return T(k * (a * (G.re * c + G.im * s) + law.scale_ampl * steady_branch(p, a, T(a * (1.0 + c)))));
  };
  // Place of the extreme force: root of dF/dpsi between the tip (psi = 0) and the middle of the branch, regula falsi
  // with bisection.
  const auto extreme = [&](double side) {
    const auto slope = [&](double psi) {
      const double c = std::cos(psi), s = std::sin(psi);
      const double branch = value_of(law.scale_ampl) * steady_branch_slope(plain, av, av * (1.0 + c));
      const double rise = statics.straight() ? straight_slope : value_of(statics.slope(T(u0 + side * c * a)));
      return -s * (rise + kv * (value_of(G.re) + branch)) * av + kv * value_of(G.im) * av * c;
    };
    double lower = 0.0, upper = 0.5 * std::numbers::pi;
    double f_lower = slope(lower), f_upper = slope(upper);
    if (!(f_lower > 0.0)) return lower;
    for (int iteration = 0; iteration < 60 && upper - lower > 1e-9; ++iteration) {
      const double psi =
          iteration % 4 == 3 ? 0.5 * (lower + upper) : lower - f_lower * (upper - lower) / (f_upper - f_lower);
      const double f = slope(psi);
      if (std::abs(f) <= 1e-14 * kv * av) return psi;
      if (f > 0.0) {
        lower = psi;
        f_lower = f;
        f_upper *= 0.5;
      } else {
        upper = psi;
        f_upper = f;
        f_lower *= 0.5;
      }
    }
    return 0.5 * (lower + upper);
  };
  const auto half_loop = [&](double side) {
    const double psi = extreme(side);
    return T(side * statics.force(T(u0 + side * std::cos(psi) * a)) + dynamic(psi));
  };
  const T up = half_loop(1.0);
  const T half_range = statics.straight() ? T(up - statics.force(u0)) : T(0.5 * (up + half_loop(-1.0)));
  const T area = k * (std::numbers::pi * a * a * G.im + law.scale_ampl * friction_loop_area(p, a));
  const T ratio = area / (std::numbers::pi * a * half_range);
  return {half_range / a, value_of(ratio) < 1.0 ? T(asin(ratio)) : T(0.5 * std::numbers::pi)};
}

// The same for the law's own static part.
template <class T>
Complex<T> harmonic_stiffness(const Elastomer<T>& law, double frequency_hz, const T& a, const T& u0 = T(0.0)) {
  return harmonic_stiffness(law, StaticPart<T>{law}, law.stiffness_at(u0), frequency_hz, a, u0);
}
template <class T>
DynamicStiffness<T> harmonic_reduction(const Elastomer<T>& law, double frequency_hz, const T& a, const T& u0 = T(0.0)) {
  const Complex<T> K = harmonic_stiffness(law, frequency_hz, a, u0);
  return {abs(K), arg(K)};
}
template <class T>
DynamicStiffness<T> loop_reduction(const Elastomer<T>& law, double frequency_hz, const T& a, const T& u0 = T(0.0)) {
  return loop_reduction(law, StaticPart<T>{law}, law.stiffness_at(u0), frequency_hz, a, u0);
}

}  // namespace kdyn::inline elastomer
