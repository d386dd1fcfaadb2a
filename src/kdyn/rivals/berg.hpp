// SPDX-License-Identifier: Apache-2.0
// Berg's rubber spring (Berg 1998): elastic spring, smooth friction between turning points, and a Maxwell branch.
//
//   [rivals E4]  F = k u + F_f + k_v q,   q' = v - q k_v/c_v  (k_v = viscous_stiffness, k_v/c_v = 1/relaxation_time)
//   [rivals E5]  F_f = F_s + s D (F_max - s F_s)/(x2 (1 - s F_s/F_max) + D),  D = |u - u_s|, s = sign of the motion since the turning
//                point (u_s, F_s)
//   [rivals E6]  steady sine: tip F_0 = F_max (sqrt(x2^2 + a^2 + 6 x2 a) - x2 - a)/(2 x2), with B = x2 (1 + F_0/F_max), c = B + a:
//                area = 2 (F_max + F_0) (2a - B ln(1 + 2a/B)) - 4 a F_0,   Re K_f = 2 (F_max + F_0) B/a^2 (c/sqrt(c^2 - a^2) - 1)
//
// x2 is the displacement over which friction grows from zero to half its limit on the virgin curve. Only the last
// turning point is remembered (as published): minor loops do not close exactly. Reference: M. Berg, Vehicle System
// Dynamics 30 (1998) 197-212.
#pragma once

#include <algorithm>
#include <cmath>

#include "kdyn/element/parameter.hpp"
#include "kdyn/element/relaxation.hpp"

namespace kdyn::inline rivals {

template <class T>
struct Berg {
  using Scalar = T;
  template <class U>
  using Rebind = Berg<U>;
  static constexpr int state_count = 1;
  static constexpr const char* model = "berg";
  static constexpr const char* title = "Berg mount";
  static constexpr std::array<SignalName, 1> state_signals = {{{"q", "m", "Extension of the viscous branch's spring"}}};

  T stiffness{338e3};
  T friction_max{60.0};
  T friction_displacement{2e-4};
  T viscous_stiffness{30e3};
  T relaxation_time{3e-3};

  static constexpr std::array<ParameterInfo, 5> parameters = {{
      {"stiffness", "N/m", 0.0, true, 1e12, "Stiffness of the elastic spring"},
      {"friction_max", "N", 0.0, false, 1e12, "Largest friction force"},
      {"friction_displacement", "m", 0.0, true, 1e3, "Displacement x2 over which friction grows to half its limit"},
      {"viscous_stiffness", "N/m", 0.0, false, 1e12, "Spring of the viscous branch"},
      {"relaxation_time", "s", 0.0, true, 1e6, "Damper over spring of the viscous branch"},
  }};
  static constexpr std::array members = {&Berg::stiffness, &Berg::friction_max, &Berg::friction_displacement,
                                         &Berg::viscous_stiffness, &Berg::relaxation_time};

  // All of it is in the parameters (element/archive.hpp).
  template <class Archive>
  void settings(Archive&) {}
  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }
  static std::array<double, 5> first_guess(const MapSizes& s) {
    return {0.85 * s.k_low, (0.5 * s.loss + 0.3 * s.spread()) * s.amplitude, s.amplitude, 0.3 * s.loss + 0.05 * s.k_low,
            1.0 / s.omega};
  }

  // Last turning point and the end of the path so far.
  struct Memory {
    T u_turn{0.0}, f_turn{0.0}, u_last{0.0}, f_last{0.0};
    int direction = 0;  // 0 until the first motion
  };
  template <class F>
  static void visit_memory(Memory& m, F&& f) {
    f(m.u_turn);
    f(m.f_turn);
    f(m.u_last);
    f(m.f_last);
  }
  template <class U>
  static typename Berg<U>::Memory cast_memory(const Memory& m) {
    return {U(value_of(m.u_turn)), U(value_of(m.f_turn)), U(value_of(m.u_last)), U(value_of(m.f_last)), m.direction};
  }
  template <class Archive>
  static void archive_memory(Memory& m, Archive& archive) {
    int turned = m.direction + 1;
    archive.whole(turned);
    m.direction = turned - 1;
    visit_memory(m, archive);
  }
  static constexpr std::array<SignalName, 1> output_signals = {{{"friction_force", "N", "Friction force"}}};
  std::array<T, 1> outputs(const Motion<T>& at, const T*, const Memory& m) const { return {friction_at(m, at.u)}; }
  static constexpr std::array<SignalName, 1> turning_signals = {
      {{"turning", "m/s", "Zero where the friction turns round"}}};
  std::array<T, 1> turning(const Motion<T>& at, const T*, const Memory&) const { return {at.v}; }
  Memory start(const T& u) const { return {u, T(0.0), u, T(0.0), 0}; }
  T static_force(const T& u) const { return stiffness * u; }

  // [rivals E5]
  T friction_branch(const T& u_turn, const T& f_turn, const T& u) const {
    if (!(value_of(friction_max) > 0.0)) return T(0.0);
    const double s = value_of(u) < value_of(u_turn) ? -1.0 : 1.0;
    const T distance = s * (u - u_turn);
    return f_turn + s * distance * (friction_max - s * f_turn) /
                        (friction_displacement * (1.0 - s * f_turn / friction_max) + distance);
  }
  T friction_at(const Memory& m, const T& u) const {
    const double du = value_of(u) - value_of(m.u_last);
    const bool reversed = (du > 0.0 && m.direction < 0) || (du < 0.0 && m.direction > 0);
    return reversed ? friction_branch(m.u_last, m.f_last, u) : friction_branch(m.u_turn, m.f_turn, u);
  }
  void accept(Memory& m, const T& u) const {
    const T f = friction_at(m, u);
    const double du = value_of(u) - value_of(m.u_last);
    const int direction = du > 0.0 ? 1 : du < 0.0 ? -1 : m.direction;
    if (direction * m.direction < 0) m.u_turn = m.u_last, m.f_turn = m.f_last;
    m.direction = direction;
    m.u_last = u;
    m.f_last = f;
  }

  T evaluate(const Motion<T>& at, const T* q, const Memory& memory, T* rate) const {
    *rate = at.v - *q / relaxation_time;
    return stiffness * at.u + friction_at(memory, at.u) + viscous_stiffness * *q;
  }
  // Turning points inside the step are located first  [element E2].
  void commit(Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h) const {
    const StepVelocity<T> velocity(from, to, h);
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i)
      accept(memory, T(from.u + h * velocity.travelled(roots[static_cast<std::size_t>(i)])));
    accept(memory, to.u);
  }
  using Step = RelaxationStep<T>;
  Step prepare_step(const T& h) const { return Step(1.0 / relaxation_time, h); }
  T advance(T* q, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    commit(memory, from, to, step.h);
    *q = step.advance(*q, StepVelocity<T>(from, to, step.h));
    return stiffness * to.u + memory.f_last + viscous_stiffness * *q;
  }

  // [rivals E6]
  Complex<T> harmonic(double omega, const T& a) const {
    using std::log1p;
    using std::sqrt;
    const T x = omega * relaxation_time, share = viscous_stiffness * x / (1.0 + x * x);
    Complex<T> K{stiffness + share * x, share};
    if (!(value_of(friction_max) > 0.0)) return K;
    const T& x2 = friction_displacement;
    // The tip without cancellation for small a: sqrt(A) - B = (A - B^2)/(sqrt(A) + B) with A - B^2 = 4 x2 a.
    const T tip = friction_max * 2.0 * a / (sqrt(x2 * x2 + a * a + 6.0 * x2 * a) + x2 + a);
    const T B = x2 * (1.0 + tip / friction_max), c = B + a, scale = friction_max + tip;
    const T root = sqrt(B * (B + 2.0 * a));                   // sqrt(c^2 - a^2)
    const T storage = 2.0 * scale * B / (root * (c + root));  // (c/root - 1)/a^2 = 1/(root (c + root))
    const T X = 2.0 * a / B;
    T area;
    if (value_of(X) < 1e-2) {
      // The tip is a scale/(B + 2a): area = 2 scale B (X - ln(1+X) - X^2/(2 (1+X))), by its series where the difference
      // would lose digits.
      const T series =
          X * X * X * (1.0 / 6.0 - X * (1.0 / 4.0 - X * (3.0 / 10.0 - X * (1.0 / 3.0 - X * (5.0 / 14.0)))));
      area = 2.0 * scale * B * series;
    } else {
      area = 2.0 * scale * (2.0 * a - B * log1p(X)) - 4.0 * a * tip;
    }
    K.re += storage;
    K.im += area / (constants::pi * a * a);
    return K;
  }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }

  template <class U>
  Berg<U> cast() const {
    return cast_members<Berg<U>>(*this);
  }
};

}  // namespace kdyn::inline rivals
