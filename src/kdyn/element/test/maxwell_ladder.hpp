// SPDX-License-Identifier: Apache-2.0
// A law to test the tools of `element` with, and to test the conformance suite itself: a spring in parallel with two
// Maxwell branches, everything about it being known exactly. `Flaw` plants one mistake.
//
//   F = k u + sum k_i (u - u_start - x_i),   x_i' = (k_i/c_i) (u - u_start - x_i)
//   K(w) = k + sum k_i i w tau_i/(1 + i w tau_i),   tau_i = c_i/k_i,   stored energy k u^2/2 + sum k_i (u - u_start - x_i)^2/2
#pragma once

#include <memory>
#include <string>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/element/conformance_run.hpp"
#include "kdyn/element/mount_of.hpp"

namespace kdyn::inline element {

enum class Flaw {
  none,
  derivative_lost,
  remembers_evaluations,
  creates_energy,
  force_at_rest,
  first_order_step,
  wrong_static_inverse,
  rounded_json,
  bounds_ignored
};

template <class T, Flaw flaw = Flaw::none>
struct MaxwellLadder {
  using Scalar = T;
  static constexpr const char* model = "ladder";
  static constexpr int state_count = 2;
  T k{3e5}, k1{1e5}, c1{2e3}, k2{5e4}, c2{3e2};
  mutable double evaluations = 0.0;

  struct Memory {
    T u_start{0.0};
  };
  using Step = T;

  T static_force(const T& u) const { return k * u; }
  Memory start(const T& u) const { return {u}; }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T& h) const { return h; }

  T evaluate(const Motion<T>& at, const T* x, const Memory& memory, T* rate) const {
    const T d = at.u - memory.u_start, s1 = d - x[0], s2 = d - x[1];
    rate[0] = (flaw == Flaw::creates_energy ? -0.1 : 1.0) * k1 / c1 * s1;
    rate[1] = k2 / c2 * s2;
    T force = k * at.u + (flaw == Flaw::derivative_lost ? T(value_of(k1)) : k1) * s1 + k2 * s2;
    if (flaw == Flaw::remembers_evaluations) force += 1e-6 * (evaluations += 1.0);
    if (flaw == Flaw::force_at_rest) force += 1e-3;
    return force;
  }

  // Runge-Kutta of fourth order along the cubic of the step.
  T advance(T* x, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& h) const {
    const StepVelocity<T> velocity(from, to, h);
    const auto rates = [&](double s, const T& a, const T& b, T* rate) {
      const T state[2] = {a, b};
      evaluate({T(from.u + h * velocity.travelled(s)), T(0.0)}, state, memory, rate);
    };
    T r1[2], r2[2], r3[2], r4[2];
    rates(0.0, x[0], x[1], r1);
    if (flaw == Flaw::first_order_step) {
      for (int i = 0; i < 2; ++i) x[i] += h * r1[i];
    } else {
      rates(0.5, T(x[0] + 0.5 * h * r1[0]), T(x[1] + 0.5 * h * r1[1]), r2);
      rates(0.5, T(x[0] + 0.5 * h * r2[0]), T(x[1] + 0.5 * h * r2[1]), r3);
      rates(1.0, T(x[0] + h * r3[0]), T(x[1] + h * r3[1]), r4);
      for (int i = 0; i < 2; ++i) x[i] += h / 6.0 * (r1[i] + 2.0 * r2[i] + 2.0 * r3[i] + r4[i]);
    }
    return evaluate(to, x, memory, r1);
  }

  bool has_stored_energy() const { return true; }
  T stored_energy(const T& u, const T* x, const Memory& memory) const {
    const T s1 = u - memory.u_start - x[0], s2 = u - memory.u_start - x[1];
    return 0.5 * (k * u * u + k1 * s1 * s1 + k2 * s2 * s2);
  }

  template <class F>
  void visit_parameters(F&& f) {
    f("k", k), f("k1", k1), f("c1", c1), f("k2", k2), f("c2", c2);
  }
  template <class U>
  MaxwellLadder<U, flaw> cast() const {
    return {U(value_of(k)), U(value_of(k1)), U(value_of(c1)), U(value_of(k2)), U(value_of(c2))};
  }
};

template <Flaw flaw>
const FieldTable& ladder_table() {
  using Law = MaxwellLadder<double, flaw>;
  static const FieldTable table = FieldTable::of<Law>("ladder parameters", [](FieldTable& t) {
    t.add(&Law::k, "k", "N/m", "Static stiffness").range(1.0, 1e9);
    t.add(&Law::k1, "k1", "N/m", "Spring of the first branch").above(0.0);
    t.add(&Law::c1, "c1", "N*s/m", "Damper of the first branch").above(0.0);
    t.add(&Law::k2, "k2", "N/m", "Spring of the second branch").above(0.0);
    t.add(&Law::c2, "c2", "N*s/m", "Damper of the second branch").above(0.0);
  });
  return table;
}

template <Flaw flaw>
void model_json(const MaxwellLadder<double, flaw>& law, Json& out) {
  out = {{"model", "ladder"}};
  ladder_table<flaw>().to_json(&law, out["parameters"]);
}
template <Flaw flaw>
double static_displacement(const MaxwellLadder<double, flaw>& law, double force) {
  return force / law.k * (flaw == Flaw::wrong_static_inverse ? 1.0 + 1e-9 : 1.0);
}

template <Flaw flaw>
conformance::Access<MaxwellLadder<double, flaw>> ladder_access() {
  using Law = MaxwellLadder<double, flaw>;
  const auto read = [](const Json& model) {
    Law law;
    if (flaw == Flaw::bounds_ignored && model["parameters"]["k1"].is_number()) {
      law.k1 = model["parameters"]["k1"].template get<double>();
      return law;
    }
    ladder_table<flaw>().from_json(&law, model["parameters"], "model.parameters");
    if (flaw == Flaw::rounded_json) law.c2 = static_cast<float>(law.c2);
    return law;
  };
  return {ladder_table<flaw>(), read, [](const Law& law) { return std::make_unique<MountOf<Law>>(law); }};
}

}  // namespace kdyn::inline element
