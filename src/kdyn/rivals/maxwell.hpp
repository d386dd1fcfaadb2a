// SPDX-License-Identifier: Apache-2.0
// Generalised Maxwell mount (Prony series): a spring and up to eight Maxwell branches. One branch is the Zener or
// standard linear solid.
//
//   [rivals E3]  F = k u + sum F_i,   K(iw) = k + sum_i k_i i w tau_i/(1 + i w tau_i)
//
// Linear: with enough branches it follows any frequency dependence of rubber, and no amplitude dependence at all.
// Model file: "stiffness" [k_1, ...] and "relaxation_time" [tau_1, ...] of equal length.
#pragma once

#include "kdyn/element/parameter.hpp"
#include "kdyn/rivals/relaxation_bank.hpp"

namespace kdyn::inline rivals {

inline constexpr std::array<SignalName, 8> branch_states = {{
    {"q_1", "m", "Extension of the spring of branch 1"},
    {"q_2", "m", "Extension of the spring of branch 2"},
    {"q_3", "m", "Extension of the spring of branch 3"},
    {"q_4", "m", "Extension of the spring of branch 4"},
    {"q_5", "m", "Extension of the spring of branch 5"},
    {"q_6", "m", "Extension of the spring of branch 6"},
    {"q_7", "m", "Extension of the spring of branch 7"},
    {"q_8", "m", "Extension of the spring of branch 8"},
}};
inline constexpr std::array<ParameterInfo, 3> maxwell_parameters = {{
    {"static_stiffness", "N/m", 0.0, true, 1e12, "Static stiffness"},
    {"stiffness", "N/m", 0.0, false, 1e12, "Stiffness of each branch"},
    {"relaxation_time", "s", 0.0, true, 1e9, "Relaxation time of each branch"},
}};

template <class T>
struct Maxwell {
  using Scalar = T;
  template <class U>
  using Rebind = Maxwell<U>;
  static constexpr int max_branches = 8;
  static constexpr int state_count = max_branches;
  static constexpr const char* model = "maxwell";
  static constexpr bool linear = true;
  static constexpr const char* title = "Generalised Maxwell mount";
  static constexpr std::array<SignalName, max_branches> state_signals = branch_states;
  int used_states() const { return bank.branches; }

  T static_stiffness{338e3};
  RelaxationBank<T, max_branches> bank;

  template <class Archive>
  void settings(Archive& archive) {
    archive.whole(bank.branches);
    if (bank.branches > max_branches) bank.branches = max_branches;
  }
  void complete() {}
  // "stiffness_3" is a stiffness of the list.
  static const ParameterInfo* find_parameter(const char* name) {
    for (std::size_t i = maxwell_parameters.size(); i-- > 0;) {
      const char *a = maxwell_parameters[i].name, *b = name;
      while (*a != '\0' && *a == *b) ++a, ++b;
      if (*a == '\0') return &maxwell_parameters[i];
    }
    return nullptr;
  }

  struct Memory {};
  using Step = typename RelaxationBank<T, max_branches>::Step;
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return static_stiffness * u; }
  T evaluate(const Motion<T>& at, const T* q, const Memory&, T* rate) const {
    return static_stiffness * at.u + bank.evaluate(at.v, q, rate);
  }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T& h) const { return bank.prepare_step(h); }
  T advance(T* q, Memory&, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    return static_stiffness * to.u + bank.advance(q, StepVelocity<T>(from, to, step.h), step);
  }
  T stored_energy(const T& u, const T* q, const Memory&) const {
    return 0.5 * static_stiffness * u * u + bank.stored_energy(q);
  }
  bool has_stored_energy() const { return true; }

  Complex<T> harmonic(double omega, const T&) const {
    return Complex<T>{static_stiffness, T(0.0)} + bank.harmonic(omega);
  }

  template <class F>
  void visit_parameters(F&& f) {
    static constexpr std::array<const char*, max_branches> stiffness = {"stiffness_1", "stiffness_2", "stiffness_3",
                                                                        "stiffness_4", "stiffness_5", "stiffness_6",
                                                                        "stiffness_7", "stiffness_8"};
    static constexpr std::array<const char*, max_branches> times = {
        "relaxation_time_1", "relaxation_time_2", "relaxation_time_3", "relaxation_time_4",
        "relaxation_time_5", "relaxation_time_6", "relaxation_time_7", "relaxation_time_8"};
    f("static_stiffness", static_stiffness);
    for (std::size_t i = 0; i < static_cast<std::size_t>(bank.branches); ++i) {
      f(stiffness[i], bank.stiffness[i]);
      f(times[i], bank.relaxation_time[i]);
    }
  }

  template <class U>
  Maxwell<U> cast() const {
    return {U(value_of(static_stiffness)), bank.template cast<U>()};
  }
};

}  // namespace kdyn::inline rivals
