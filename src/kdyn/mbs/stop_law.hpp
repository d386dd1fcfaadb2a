// SPDX-License-Identifier: Apache-2.0
// Stop: a gap that closes on a stiffening contact on one side or on both. Bump stops, rebound stops, one-sided contact.
//
//   [mbs E45]  s = u - upper_gap (pulled) or -(u + lower_gap) (pushed);  for s > 0 the force against the motion is
//              k s^p max(0, 1 + d s'), with Hunt and Crossley's damping d: no force jumps at the touch, none pulls. Stored energy k s^(p+1)/(p+1).
//
// Units SI. A gap of a million metres (the default) is no stop on that side. With p = 1 and no damping the force has a
// corner at the touch; from p > 1 on its slope is continuous, too.
#pragma once

#include <array>
#include <cmath>

#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::mbs {

template <class T>
struct StopLaw {
  using Scalar = T;
  template <class U>
  using Rebind = StopLaw<U>;
  static constexpr int state_count = 0;
  static constexpr const char* model = "stop";
  static constexpr const char* title = "Stop";
  static constexpr std::array<SignalName, 0> state_signals = {};
  static constexpr double none = 1e6;

  T stiffness{1e6};
  T exponent{1.5};
  T damping{0.0};
  T lower_gap{none};
  T upper_gap{none};

  static constexpr std::array<ParameterInfo, 5> parameters = {
      {{"stiffness", "N/m^p", 0.0, true, 1e15, "Force at one metre (or radian) of compression"},
       {"exponent", "-", 1.0, false, 5.0, "Power p of the compression"},
       {"damping", "s/m", 0.0, false, 1e3, "Share that a speed of 1 m/s adds to the force while it closes"},
       {"lower_gap", "m", -1e3, false, none, "Way to the stop when pushed together"},
       {"upper_gap", "m", -1e3, false, none, "Way to the stop when pulled apart"}}};
  static constexpr std::array members = {&StopLaw::stiffness, &StopLaw::exponent, &StopLaw::damping,
                                         &StopLaw::lower_gap, &StopLaw::upper_gap};

  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }

  struct Memory {};
  struct Step {};
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return force_at(u, T(0.0)); }
  T evaluate(const Motion<T>& at, const T*, const Memory&, T*) const { return force_at(at.u, at.v); }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T&) const { return {}; }
  T advance(T*, Memory&, const Motion<T>&, const Motion<T>& to, const Step&) const { return force_at(to.u, to.v); }
  T stored_energy(const T& u, const T*, const Memory&) const {
    using std::pow;
    T sum(0.0);
    for (const T& s : {T(u - upper_gap), T(-(u + lower_gap))})
      if (value_of(s) > 0.0) sum += stiffness * pow(s, T(exponent + 1.0)) / (exponent + 1.0);
    return sum;
  }
  bool has_stored_energy() const { return true; }

  // First harmonic of a sine by the trapezoidal rule.
  Complex<T> harmonic(double omega, const T& amplitude) const {
    constexpr int n = 512;
    T in(0.0), out(0.0);
    for (int i = 0; i < n; ++i) {
      const double phase = 2.0 * constants::pi * (i + 0.5) / n;
      const T f = force_at(amplitude * std::sin(phase), amplitude * omega * std::cos(phase));
      in += f * std::sin(phase);
      out += f * std::cos(phase);
    }
    const T scale = 2.0 / (n * amplitude);
    return {in * scale, out * scale};
  }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }
  template <class U>
  StopLaw<U> cast() const {
    return cast_members<StopLaw<U>>(*this);
  }

 private:
  // Against the compression s that grows by `rate`.
  T contact(const T& s, const T& rate) const {
    using std::pow;
    const T share = 1.0 + damping * rate;
    if (!(value_of(s) > 0.0) || !(value_of(share) > 0.0)) return T(0.0);
    return stiffness * pow(s, exponent) * share;
  }
  T force_at(const T& u, const T& v) const {
    return contact(T(u - upper_gap), v) - contact(T(-(u + lower_gap)), T(-v));
  }
};

}  // namespace kdyn::mbs
