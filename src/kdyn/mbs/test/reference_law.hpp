// SPDX-License-Identifier: Apache-2.0
// The hysteretic law of the reference cases (multibody.json): dual Kelvin-Voigt with a limited friction force as a
// smooth ODE. It shows that a law needs nothing but the Element concept to act in a multibody model.
//
//   load = k1 x + k3 x^3 + c1 (v - z') + F,   z' = (c1 v - k2 z)/(c1 + c2),   F' = s0 (v - |v|_eps F/Fm),  |v|_eps = sqrt(v^2 + eps^2) - eps
#pragma once

#include <memory>
#include <vector>

#include "kdyn/laws/axis_law_of.hpp"

namespace kdyn::mbs {

template <class T>
struct ReferenceLaw {
  using Scalar = T;
  template <class U>
  using Rebind = ReferenceLaw<U>;
  static constexpr const char* model = "reference";
  static constexpr int state_count = 2;
  static constexpr double eps = 1e-5;
  T k1{1.0}, k3{0.0}, c1{1.0}, k2{0.0}, c2{0.0}, s0{0.0}, Fm{1.0};
  void complete() {}
  static const ParameterInfo* find_parameter(const char*) { return nullptr; }  // no bounds
  struct Memory {};
  struct Step {};
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return k1 * u + k3 * u * u * u; }
  T evaluate(const Motion<T>& at, const T* w, const Memory&, T* rate) const {
    using std::sqrt;
    rate[0] = (c1 * at.v - k2 * w[0]) / (c1 + c2);
    rate[1] = s0 * (at.v - (sqrt(at.v * at.v + eps * eps) - eps) * w[1] / Fm);
    return k1 * at.u + k3 * at.u * at.u * at.u + c1 * (at.v - rate[0]) + w[1];
  }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T&) const { return {}; }
  T advance(T*, Memory&, const Motion<T>&, const Motion<T>& to, const Step&) const { return static_force(to.u); }
  template <class F>
  void visit_parameters(F&& f) {
    f("k1", k1), f("k3", k3), f("c1", c1), f("k2", k2), f("c2", c2), f("s0", s0), f("Fm", Fm);
  }
  template <class U>
  ReferenceLaw<U> cast() const {
    ReferenceLaw<U> o;
    o.k1 = U(value_of(k1)), o.k3 = U(value_of(k3)), o.c1 = U(value_of(c1)), o.k2 = U(value_of(k2)),
    o.c2 = U(value_of(c2)), o.s0 = U(value_of(s0)), o.Fm = U(value_of(Fm));
    return o;
  }
};

inline void model_json(const ReferenceLaw<double>&, Json&) {}

inline std::shared_ptr<AxisLaw> reference_law(const std::vector<double>& p, std::size_t first) {
  ReferenceLaw<double> law;
  law.k1 = p[first], law.k3 = p[first + 1], law.c1 = p[first + 2], law.k2 = p[first + 3], law.c2 = p[first + 4],
  law.s0 = p[first + 5], law.Fm = p[first + 6];
  return std::make_shared<AxisLawOf<ReferenceLaw<double>>>(law);
}

inline std::shared_ptr<AxisLaw> kelvin_voigt_law(double k, double c) {
  return axis_law_from_json({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", c}}}}, "law");
}

}  // namespace kdyn::mbs
