// SPDX-License-Identifier: Apache-2.0
// First-harmonic balance of the hydro mount: every part answers a sine with the sine it holds most of.
//
// The balance has the unknown amplitude r of the chamber displacement u2. Written with r as the given quantity nothing
// is left to solve but one monotone equation for the fluid amplitude, and the displacement amplitude that belongs to r
// follows  [hydromount E12]:
//   F = C(r) r;   |Z(q)| q = |F|;   X = F/Z + N_Q(|F|) F/(i w);   a = |r + X|;   K = K_T + F/(r + X)
// A given a is met by a root in r. There may be three roots: then the mount jumps (folds). All are found by a scan over
// ln r. It is the start of the full harmonic balance (steady_state.hpp) and the model inside identification, where Jets
// give exact derivatives. Accuracy against many harmonics: about 2 % and 1 deg. A pressure limit shrinks C(r) by its
// gain (limit_harmonic.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/hydromount/hydromount.hpp"
#include "kdyn/hydromount/limit_harmonic.hpp"

namespace kdyn::inline hydromount {

// First harmonic of the friction displacement y(phi(r sin s)) over r: steady branch by quadrature over the rising half
// [hydromount E13].
template <class T>
Complex<T> decoupled_friction(const Friction<T>& p, const Decoupler<T>& valve, const T& r) {
  // Gauss-Legendre on the half period; the branch is smooth there, 8 points leave 1e-3 of the friction. They lie in
  // pairs at +-cosine, and the decoupler is odd: one look at it serves both.
  constexpr int pairs = 4;
  static constexpr double node[pairs] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363};
  static constexpr double weight[pairs] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                           0.1012285362903763};
  struct Phase {
    double cosine[pairs], re[pairs], im[pairs];
    Phase() {
      for (int i = 0; i < pairs; ++i) {
        const double s = 0.5 * std::numbers::pi * (1.0 - node[i]);
        cosine[i] = std::cos(s);
        re[i] = weight[i] * std::cos(s);
        im[i] = weight[i] * std::sin(s);
      }
    }
  };
  static const Phase phase;
  const T tip = valve.displacement(r), tip_y = backbone(p, tip);
  const auto branch = [&](const T& distance) {
    return p.law == FrictionLaw::g4 ? g4_branch(p, T(-tip_y), distance)
                                    : T(2.0 * backbone(p, T(0.5 * distance)) - tip_y);
  };
  Complex<T> sum;
  for (int i = 0; i < pairs; ++i) {
    const T moved = valve.displacement(T(phase.cosine[i] * r));
    const T before = branch(T(tip + moved)), after = branch(T(tip - moved));
    sum.re += phase.re[i] * (before - after);
    sum.im += phase.im[i] * (before + after);
  }
  return {sum.re / r, sum.im / r};
}
// Long Jets: the few quantities it depends on are differentiated in a short one.
template <int N>
Complex<Jet<N>> decoupled_friction(const Friction<Jet<N>>& p, const Decoupler<Jet<N>>& valve,
                                   const Jet<N>& r) requires(N > 7) {
  using S = Jet<7>;
  const Jet<N> limit = p.ymax.value_or(Jet<N>(0.0));
  const std::array<const Jet<N>*, 7> inputs = {&p.rdl, &p.rho, &valve.clearance, &valve.gradient, &valve.residual_slope,
                                               &r,     &limit};
  std::array<S, 7> x;
  for (int i = 0; i < 7; ++i) x[static_cast<std::size_t>(i)] = S(inputs[static_cast<std::size_t>(i)]->a, i);
  Friction<S> friction{p.law, x[0], x[1], std::nullopt};
  if (p.ymax) friction.ymax = x[6];
  const Complex<S> y = decoupled_friction(friction, Decoupler<S>{x[2], x[3], x[4]}, x[5]);
  const auto lengthen = [&](const S& value) {
    Jet<N> out(value.a);
    for (int i = 0; i < 7; ++i) out.v += value.v[i] * inputs[static_cast<std::size_t>(i)]->v;
    return out;
  };
  return {lengthen(y.re), lengthen(y.im)};
}

template <class T>
class FirstHarmonic {
 public:
  // At rest at u0; the coupling signal has the value it starts with.
  explicit FirstHarmonic(const HydroMount<T>& law, const T& u0 = T(0.0)) : law_(law), u0_(u0) {
    const auto memory = law.start(u0);
    factor_ = memory.chamber_factor;
    coupling_ = value_of(memory.coupling);
    valve_ = law.decoupler(memory.coupling);
    const T R = law.area_ratio();
    mass_ = law.fluid_mass() / (R * R);
    linear_ = law.fluid_damping_linear / (R * R);
    n_ = law.fluid_damping_exponent;
    using std::pow;
    power_ = power_damping_factor(n_) * law.power_damping() / pow(R, n_ + 1.0);
    if (law.pressure_limit) {
      limit_force_ = *law.pressure_limit * law.chamber_area;
      limit_smoothing_ = law.pressure_limit_smoothing * law.chamber_area;
    }
    if (law.has_bypass()) {
      bypass_area_ = *law.bypass_area / law.chamber_area;
      bypass_force_ = *law.bypass_threshold * law.chamber_area;
      bypass_density_ = law.fluid_density * law.chamber_area;
    }
  }

  struct Point {
    T amplitude;           // of the displacement, m
    Complex<T> stiffness;  // of chamber and fluid: their force over displacement
  };
  // [hydromount E12]
  Point at_chamber_amplitude(const T& r, double omega) const {
    const Complex<T> C = chamber_stiffness(r, omega);
    const Complex<T> F{C.re * r, C.im * r};
    const T force = abs(F);
    const Complex<T> Z = fluid_impedance(force, omega);
    Complex<T> X = F / Z;
    if (law_.has_bypass()) {
      const T gain = bypass_gain(force) / omega;
      X = X + Complex<T>{gain * F.im, -gain * F.re};
    }
    const Complex<T> A{r + X.re, X.im};
    return {abs(A), F / A};
  }

  // Chamber rubber behind the decoupler, after the pressure limit  [hydromount E18].
  Complex<T> chamber_stiffness(const T& r, double omega) const {
    const Complex<T> C = unlimited_stiffness(r, omega);
    if (!law_.pressure_limit || !(abs(C) * r > 0.0)) return C;
    const T gain = limited_harmonic(T(abs(C) * r), limit_force_, limit_smoothing_).gain;
    return {gain * C.re, gain * C.im};
  }
  // Mean displacement of a chamber with a pressure limit; 0 without one.
  double chamber_mean(double r, double omega) const {
    const double force = value_of(abs(unlimited_stiffness(T(r), omega))) * r;
    const double spring = factor_ * value_of(law_.chamber_rubber.stiffness_at(T(0.0)));
    if (!law_.pressure_limit || !(force > 0.0) || !(spring > 0.0)) return 0.0;
    return limited_harmonic(force, value_of(limit_force_), value_of(limit_smoothing_)).mean / spring;
  }

  // [hydromount E13]
  Complex<T> unlimited_stiffness(const T& r, double omega) const {
    if (coupling_ <= 0.0) return {T(0.0), T(0.0)};
    const Elastomer<T>& e = law_.chamber_rubber;
    const T tip = valve_.displacement(r);
    const T amplitude = value_of(tip) > 1e-15 ? tip : T(1e-15);
    const T k = e.stiffness_at(T(0.0)), gain = valve_.describing_function(r);
    const Complex<T> viscous = e.kelvin_voigt().stiffness(omega);
    Complex<T> friction;
    if (value_of(e.rdl) > 0.0 && value_of(e.rho) > 0.0)
      friction = valve_.present() ? decoupled_friction(e.friction(), valve_, r)
                                  : gain * friction_stiffness(e.friction(), amplitude);
    const T spring = gain * static_harmonic(StaticPart<T>{e}, T(0.0), amplitude),
            viscous_scale = gain * k * e.scale_freq, friction_scale = k * e.scale_ampl;
    return {factor_ * (spring + viscous_scale * viscous.re + friction_scale * friction.re),
            factor_ * (viscous_scale * viscous.im + friction_scale * friction.im)};
  }

  Complex<T> main_stiffness(double frequency_hz, const T& a) const {
    return harmonic_stiffness(law_.main_rubber, frequency_hz, a, u0_);
  }

 private:
  // Z = -M w^2 + i w (d + b c_n (w q)^(n-1)) at the amplitude q that the force causes: |Z| q = force, monotone in q
  // [hydromount E9].
  Complex<T> fluid_impedance(const T& force, double omega) const {
    using std::pow;
    const double inertia = value_of(mass_) * omega * omega, F = value_of(force);
    const double omega_n = n_ == 2.0 ? omega * omega : n_ == 3.0 ? omega * omega * omega : std::pow(omega, n_);
    const double d = value_of(linear_) * omega, b = value_of(power_) * omega_n;
    const auto power = [this](double x) {
      return n_ == 2.0 ? x : n_ == 3.0 ? x * x : std::pow(x, n_ - 1.0);
    };  // x^(n-1)
    // (|Z| q)^2 is convex and rising: Newton from a bound above the root comes down to it without overshooting.
    double q = F / std::sqrt(inertia * inertia + d * d);
    if (b > 0.0)
      q = std::min(q, n_ == 2.0 ? std::sqrt(F / b) : n_ == 3.0 ? std::cbrt(F / b) : std::pow(F / b, 1.0 / n_));
    double slope = 1.0;  // of |Z| q
    for (int i = 0; i < 60 && q > 0.0; ++i) {
      const double growth = b * power(q), damping = d + growth, square = inertia * inertia + damping * damping,
                   size = std::sqrt(square);
      slope = (square + (n_ - 1.0) * growth * damping) / size;
      const double change = 0.5 * (size * q - F * (F / (size * q))) / slope;
      q -= change;
      if (std::abs(change) <= 1e-10 * q) break;  // converges quadratically: the next change would be below rounding
    }
    if (!(q > 0.0)) return {T(-mass_ * omega * omega), T(linear_ * omega)};
    // One step in T makes the derivatives exact.
    const T scaled = power_ * omega_n, inertia_t = mass_ * omega * omega, linear_t = linear_ * omega;
    const auto damping = [&](const T& x) {
      return T(linear_t + scaled * (n_ == 2.0 ? x : n_ == 1.0 ? T(1.0) : n_ == 3.0 ? T(x * x) : T(pow(x, n_ - 1.0))));
    };
    const T q_t = T(q) - (abs(Complex<T>{inertia_t, damping(T(q))}) * q - force) / slope;
    return {-inertia_t, damping(q_t)};
  }

  // First harmonic of the bypass flow over the force, in chamber displacement per second and newton  [hydromount E8].
  T bypass_gain(const T& force) const {
    if (value_of(force) <= value_of(bypass_force_)) return T(0.0);
    constexpr int points = 48;
    T sum(0.0);
    for (int i = 0; i < points; ++i) {
      const double s = std::sin(0.5 * std::numbers::pi * (i + 0.5) / points);
      sum += s * bypass_flow(T(s * force), bypass_area_, bypass_force_, bypass_density_);
    }
    return 2.0 / (static_cast<double>(points) * force) * sum;
  }

  const HydroMount<T>& law_;
  T u0_;
  double factor_ = 1.0, coupling_ = 1.0, n_ = 2.0;
  Decoupler<T> valve_;
  T mass_{0.0}, linear_{0.0}, power_{0.0};
  T bypass_area_{0.0}, bypass_force_{0.0}, bypass_density_{0.0};
  T limit_force_{0.0}, limit_smoothing_{0.0};
};

// Chamber amplitudes r that answer the displacement amplitude a, ascending; one, or three where the mount jumps
// [hydromount E12].
std::vector<double> chamber_amplitudes(const FirstHarmonic<double>& balance, double omega, double a);

// The root next to `guess` (within a factor of about 50), or a negative number when there is none. `slope`: d ln a/d ln
// r near it, if it is known.
double chamber_amplitude_near(const FirstHarmonic<double>& balance, double omega, double a, double guess,
                              double slope = 1.0);

}  // namespace kdyn::inline hydromount
