// SPDX-License-Identifier: Apache-2.0
// A law with a bent static curve for tests of coupling: load = f0 + k1 u + k2 u^2 + k3 u^3 + c v, odd when f0 = k2 = 0.
// It knows its energy.
#pragma once

#include <memory>

#include "kdyn/laws/axis_law_of.hpp"

namespace kdyn::mbs {

template <class T>
struct BentLaw {
  using Scalar = T;
  template <class U>
  using Rebind = BentLaw<U>;
  static constexpr const char* model = "bent";
  static constexpr int state_count = 0;
  T f0{0.0}, k1{1.0}, k2{0.0}, k3{0.0}, c{0.0};
  void complete() {}
  static const ParameterInfo* find_parameter(const char*) { return nullptr; }  // no bounds
  struct Memory {};
  struct Step {};
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return f0 + u * (k1 + u * (k2 + u * k3)); }
  T evaluate(const Motion<T>& at, const T*, const Memory&, T*) const { return static_force(at.u) + c * at.v; }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T&) const { return {}; }
  T advance(T*, Memory&, const Motion<T>&, const Motion<T>& to, const Step&) const {
    return static_force(to.u) + c * to.v;
  }
  bool has_stored_energy() const { return true; }
  T stored_energy(const T& u, const T*, const Memory&) const {
    return u * (f0 + u * (0.5 * k1 + u * (k2 / 3.0 + u * 0.25 * k3)));
  }
  template <class F>
  void visit_parameters(F&& f) {
    f("f0", f0), f("k1", k1), f("k2", k2), f("k3", k3), f("c", c);
  }
  template <class U>
  BentLaw<U> cast() const {
    BentLaw<U> o;
    o.f0 = U(value_of(f0)), o.k1 = U(value_of(k1)), o.k2 = U(value_of(k2)), o.k3 = U(value_of(k3)),
    o.c = U(value_of(c));
    return o;
  }
};

inline void model_json(const BentLaw<double>&, Json&) {}

inline std::shared_ptr<AxisLaw> bent_law(const BentLaw<double>& law) {
  return std::make_shared<AxisLawOf<BentLaw<double>>>(law);
}

}  // namespace kdyn::mbs
