// SPDX-License-Identifier: Apache-2.0
// Bouc-Wen mount: spring, damper and a hysteretic displacement z that follows an ODE.
//
//   [rivals E7]  F = k u + k_h z + c v,   z' = v (1 - |z/z_y|^n (1 - d + d sgn(v z)))
//   [rivals E8]  z depends on the path only: dz/du between turning points; steady sine by the branch from (-a, -Z) to (a, Z), Z from the
//                travel 2a between them (one solution), first harmonic by integration along the branch
//
// In the classical letters A = 1, beta = d/z_y^n, gamma = (1-d)/z_y^n. d >= 1/2 keeps the law dissipative (beta >=
// gamma) on closed loops about zero; d = 1/2 unloads along a straight line. It has no return-point memory: small loops
// drift (known, published weakness). Reference: Y. K. Wen, J. Eng. Mech. Div. ASCE 102 (1976) 249-263.
#pragma once

#include <algorithm>
#include <cmath>

#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/quadrature.hpp"
#include "kdyn/rivals/by_parts.hpp"

namespace kdyn::inline rivals {

template <class T>
struct BoucWen {
  using Scalar = T;
  template <class U>
  using Rebind = BoucWen<U>;
  static constexpr int state_count = 1;
  static constexpr const char* model = "bouc_wen";
  static constexpr const char* title = "Bouc-Wen mount";
  static constexpr std::array<SignalName, 1> state_signals = {{{"z", "m", "Hysteretic displacement"}}};

  T stiffness{338e3};
  T hysteretic_stiffness{100e3};
  T yield_displacement{2e-4};
  T sharpness{1.5};
  T shape{0.6};
  T damping{300.0};

  static constexpr std::array<ParameterInfo, 6> parameters = {{
      {"stiffness", "N/m", 0.0, true, 1e12, "Stiffness of the elastic spring (after yielding)"},
      {"hysteretic_stiffness", "N/m", 0.0, false, 1e12, "Stiffness k_h of the hysteretic part at its start"},
      {"yield_displacement", "m", 0.0, true, 1e3, "Limit z_y of the hysteretic displacement"},
      {"sharpness", "-", 1.0, false, 50.0, "Exponent n: how sharp yielding sets in"},
      {"shape", "-", 0.5, false, 1.0, "Share d of beta in beta + gamma: 0.5 unloads along a line, 1 is fullest"},
      {"damping", "N*s/m", 0.0, false, 1e12, "Coefficient of the damper"},
  }};
  static constexpr std::array members = {&BoucWen::stiffness,
                                         &BoucWen::hysteretic_stiffness,
                                         &BoucWen::yield_displacement,
                                         &BoucWen::sharpness,
                                         &BoucWen::shape,
                                         &BoucWen::damping};

  // All of it is in the parameters (element/archive.hpp).
  template <class Archive>
  void settings(Archive&) {}
  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }
  static std::array<double, 6> first_guess(const MapSizes& s) {
    return {0.85 * s.k_low, s.spread(), s.amplitude, 1.5, 0.7, 0.5 * s.loss / s.omega};
  }

  struct Memory {};
  static constexpr std::array<SignalName, 1> turning_signals = {
      {{"turning", "m/s", "Zero where the hysteretic displacement turns round"}}};
  std::array<T, 1> turning(const Motion<T>& at, const T*, const Memory&) const { return {at.v}; }
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return stiffness * u; }

  // [rivals E7] dz/du for a motion of this sign, 1 - c P with P = |z/z_y|^n and c = 1 - d + d sgn(v z), with its
  // derivatives: dP = P (n dz/z - n dz_y/z_y + ln|z/z_y| dn).
  T slope(const T& z, double direction) const {
    const double at = value_of(z), zy = value_of(yield_displacement), n = value_of(sharpness), d = value_of(shape);
    if (at == 0.0) return T(1.0);
    const double sign = at < 0.0 ? -1.0 : 1.0, turn = direction * sign, ratio = std::log(sign * at / zy),
                 power = std::exp(n * ratio), c = 1.0 - d + d * turn;
    const double by[4] = {-c * power * n / at, c * power * n / zy, -c * power * ratio, -power * (turn - 1.0)};
    const T* of[4] = {&z, &yield_displacement, &sharpness, &shape};
    return by_parts(1.0 - c * power, by, of, 4);
  }

  T evaluate(const Motion<T>& at, const T* z, const Memory&, T* rate) const {
    *rate = at.v * slope(*z, value_of(at.v) < 0.0 ? -1.0 : 1.0);
    return stiffness * at.u + hysteretic_stiffness * *z + damping * at.v;
  }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  struct Step {
    T h{0.0};
  };
  Step prepare_step(const T& h) const { return {h}; }
  T advance(T* z, Memory&, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    const StepVelocity<T> velocity(from, to, step.h);
    int count = 0;
    const auto roots = velocity.turning(count);
    T u = from.u;
    for (int i = 0; i < count; ++i) {
      const T next = from.u + step.h * velocity.travelled(roots[static_cast<std::size_t>(i)]);
      *z = along(*z, T(next - u));
      u = next;
    }
    *z = along(*z, T(to.u - u));
    return stiffness * to.u + hysteretic_stiffness * *z + damping * to.v;
  }

  // [rivals E8] The hysteretic part does not depend on frequency, spring and damper not on amplitude.
  struct AmplitudePart {
    Complex<T> friction{T(0.0), T(0.0)};
    static int harmonics() { return 1; }
  };
  // The tip of the loop comes from the closed relation in double; one pass along the branch gives both integrals, and
  // what the derivatives of the tip add follows from the sensitivity to the start of the branch.
  AmplitudePart amplitude_part(const T& a) const {
    if (!(value_of(hysteretic_stiffness) > 0.0)) return {};
    const double tip = value_of(yield_displacement) * cast<double>().tip_ratio(value_of(a));
    const Branch at = branch(a, T(-tip));
    const T start =
        (tip - at.end) /
        (1.0 + at.sensitivity);  // what the first value has to move for a loop that closes; zero but for derivatives
    const T scale = 2.0 / constants::pi * hysteretic_stiffness / a;
    return {{T(scale * (at.cosine + at.start_cosine * start)), T(scale * (at.sine + at.start_sine * start))}};
  }
  Complex<T> frequency_part(double omega, int) const { return {stiffness, T(omega * damping)}; }
  static Complex<T> harmonic(const Complex<T>& by_frequency, const AmplitudePart& by_amplitude) {
    return by_frequency + by_amplitude.friction;
  }
  Complex<T> harmonic(double omega, const T& a) const { return harmonic(frequency_part(omega, 1), amplitude_part(a)); }

  // [rivals E8] Z/z_y: from -Z to Z the motion travels 2a, and du/dz = 1/(1 - c |z/z_y|^n) with c = 1 - 2d on the way
  // to 0 and 1 after it. Newton on t = -ln(1 - Z/z_y), in which the travel rises almost straight when the part yields.
  double tip_ratio(double a) const {
    const double n = value_of(sharpness), c = 1.0 - 2.0 * value_of(shape),
                 travel = 2.0 * a / value_of(yield_displacement);
    double lower = 0.0, upper = n * (travel + 4.0) + 1.0, t = -std::log1p(-std::min(0.5 * travel, 0.8));
    double x = 0.0;
    for (int i = 0; i < 60; ++i) {
      x = -std::expm1(-t);
      const double power = t < 700.0 ? std::exp(n * std::log1p(-std::exp(-t))) : 1.0;
      // Both ways at once; the pole at 1 is taken out of the second and is t/n. w = x v^2 smooths the powers at 0.
      const double both = integrate(1.0, [&](double v) {
        const double w = x * v * v, wn = std::pow(w, n);
        return 2.0 * x * v * (1.0 / (1.0 - c * wn) + 1.0 / (1.0 - wn) - 1.0 / (n * (1.0 - w)));
      });
      const double excess = t / n + both - travel;
      (excess > 0.0 ? upper : lower) = t;
      const double slope_t = (1.0 / std::max(1.0 - power, 1e-300) + 1.0 / (1.0 - c * power)) * std::exp(-t);
      double next = t - excess / (slope_t > 1e-12 ? slope_t : 1.0 / n);
      if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
      const bool still = std::abs(next - t) <= 1e-12 * (1.0 + t);
      t = next;
      if (still) break;
    }
    return -std::expm1(-t);
  }

  // The branch u = -a cos s, s from 0 to pi, from z0: its end and the two integrals of the first harmonic, and their
  // derivatives by z0.
  struct Branch {
    T end{0.0}, cosine{0.0}, sine{0.0};
    double sensitivity = 1.0, start_cosine = 0.0, start_sine = 0.0;
  };
  Branch branch(const T& a, const T& z0) const {
    const double sharp = value_of(sharpness) * value_of(a) / value_of(yield_displacement);
    const int parts = static_cast<int>(std::clamp(12.0 * sharp, 48.0, 4000.0));
    const double ds = constants::pi / parts, amplitude = value_of(a);
    Branch out;
    T z = z0;
    double s0 = 0.0, sin0 = 0.0, cos0 = 1.0, growth0 = 0.0;  // growth: d/ds of ln dz/dz0
    for (int i = 0; i < parts; ++i) {
      const double sm = s0 + 0.5 * ds, s1 = s0 + ds, sinm = std::sin(sm), cosm = std::cos(sm), sin1 = std::sin(s1),
                   cos1 = std::cos(s1);
      const auto rate = [&](double sine, const T& y) { return T(a * sine * slope(y, 1.0)); };
      const T k1 = rate(sin0, z), k2 = rate(sinm, T(z + 0.5 * ds * k1)), k3 = rate(sinm, T(z + 0.5 * ds * k2)),
              k4 = rate(sin1, T(z + ds * k3));
      const T middle = z + 0.25 * ds * (k1 + k2), next = z + ds / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
      // Simpson's rule on the same points.
      out.cosine += ds / 6.0 * (-cos0 * z - 4.0 * cosm * middle - cos1 * next);
      out.sine += ds / 6.0 * (sin0 * z + 4.0 * sinm * middle + sin1 * next);
      const double growthm = amplitude * sinm * stiffening(value_of(middle)),
                   growth1 = amplitude * sin1 * stiffening(value_of(next));
      const double d0 = out.sensitivity, dm = d0 * std::exp(ds / 24.0 * (5.0 * growth0 + 8.0 * growthm - growth1)),
                   d1 = d0 * std::exp(ds / 6.0 * (growth0 + 4.0 * growthm + growth1));
      out.start_cosine += ds / 6.0 * (-cos0 * d0 - 4.0 * cosm * dm - cos1 * d1);
      out.start_sine += ds / 6.0 * (sin0 * d0 + 4.0 * sinm * dm + sin1 * d1);
      out.sensitivity = d1;
      growth0 = growth1, s0 = s1, sin0 = sin1, cos0 = cos1;
      z = next;
    }
    out.end = z;
    return out;
  }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }

  template <class U>
  BoucWen<U> cast() const {
    return cast_members<BoucWen<U>>(*this);
  }

 private:
  // z after a monotone displacement of du, Runge-Kutta in u.
  T along(T z, const T& du) const {
    const double direction = value_of(du) < 0.0 ? -1.0 : 1.0;
    const double sharp = std::abs(value_of(du)) * value_of(sharpness) / value_of(yield_displacement);
    const int parts = static_cast<int>(std::clamp(std::ceil(20.0 * sharp), 1.0, 1e5));
    const T h = du / static_cast<double>(parts);
    for (int i = 0; i < parts; ++i) {
      const T k1 = slope(z, direction), k2 = slope(T(z + 0.5 * h * k1), direction),
              k3 = slope(T(z + 0.5 * h * k2), direction), k4 = slope(T(z + h * k3), direction);
      z += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
    }
    return z;
  }
  // d slope/dz for a rising motion.
  double stiffening(double z) const {
    if (z == 0.0) return 0.0;
    const double n = value_of(sharpness), zy = value_of(yield_displacement), d = value_of(shape),
                 sign = z < 0.0 ? -1.0 : 1.0;
    return -n / z * std::pow(std::abs(z) / zy, n) * (1.0 - d + d * sign);
  }
};

}  // namespace kdyn::inline rivals
