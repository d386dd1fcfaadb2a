// SPDX-License-Identifier: Apache-2.0
// Spring-damper branches in series (Maxwell elements), side by side: the linear viscoelastic part of several laws.
//
//   [rivals E2]  F_i' = k_i v - F_i/tau_i,   sum_i k_i i w tau_i/(1 + i w tau_i)
//
// States are the extensions q_i = F_i/k_i of the springs, zero at rest. At most N branches; unused ones carry nothing.
#pragma once

#include <array>

#include "kdyn/element/relaxation.hpp"

namespace kdyn::inline rivals {

template <class T, int N>
struct RelaxationBank {
  int branches = 0;
  std::array<T, N> stiffness{}, relaxation_time{};

  // [rivals E2] Rates of the states and the force.
  T evaluate(const T& v, const T* q, T* rate) const {
    T force(0.0);
    for (int i = 0; i < N; ++i) {
      const auto at = static_cast<std::size_t>(i);
      rate[i] = i < branches ? T(v - q[i] / relaxation_time[at]) : T(0.0);
      if (i < branches) force += stiffness[at] * q[i];
    }
    return force;
  }

  struct Step {
    T h{0.0};
    std::array<RelaxationStep<T>, N> branch;
  };
  Step prepare_step(const T& h) const {
    Step step;
    step.h = h;
    for (int i = 0; i < branches; ++i)
      step.branch[static_cast<std::size_t>(i)] =
          RelaxationStep<T>(1.0 / relaxation_time[static_cast<std::size_t>(i)], h);
    return step;
  }
  // Exact for the velocity polynomial of the step; returns the force at its end.
  T advance(T* q, const StepVelocity<T>& velocity, const Step& step) const {
    T force(0.0);
    for (int i = 0; i < branches; ++i) {
      const auto at = static_cast<std::size_t>(i);
      q[i] = step.branch[at].advance(q[i], velocity);
      force += stiffness[at] * q[i];
    }
    return force;
  }

  Complex<T> harmonic(double omega) const {
    Complex<T> K;
    for (int i = 0; i < branches; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const T x = omega * relaxation_time[at], share = stiffness[at] * x / (1.0 + x * x);
      K = K + Complex<T>{share * x, share};
    }
    return K;
  }
  T stored_energy(const T* q) const {
    T energy(0.0);
    for (int i = 0; i < branches; ++i) energy += 0.5 * stiffness[static_cast<std::size_t>(i)] * q[i] * q[i];
    return energy;
  }

  template <class U>
  RelaxationBank<U, N> cast() const {
    RelaxationBank<U, N> other;
    other.branches = branches;
    for (std::size_t i = 0; i < N; ++i)
      other.stiffness[i] = U(value_of(stiffness[i])), other.relaxation_time[i] = U(value_of(relaxation_time[i]));
    return other;
  }
};

}  // namespace kdyn::inline rivals
