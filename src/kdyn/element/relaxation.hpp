// SPDX-License-Identifier: Apache-2.0
// One relaxing state q' = v - r q over a time step, exact for the velocity polynomial of the step  [element E2].
//
//   q(h) = e^-x q(0) + h (c0 psi0 + c1 psi1 + c2 psi2),  x = r h,  psi_k = int_0^1 e^(-x (1-s)) s^k ds
//
// The weights are the same for every step of one length; who makes many steps prepares them once.
#pragma once

#include <cmath>

#include "kdyn/element/motion.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline element {

template <class T>
struct RelaxationStep {
  T h{0.0}, keep{1.0}, w0{0.0}, w1{0.0}, w2{0.0};

  RelaxationStep() = default;
  RelaxationStep(const T& rate, const T& length) : h(length) {
    using std::exp;
    const T x = rate * length;
    T psi0, psi1, psi2;
    if (value_of(x) < 1.0) {
      // Series of psi2, then the downward recursion: no cancellation for short steps.
      T term(1.0 / 3.0);
      psi2 = term;
      for (int j = 1; j < 40 && std::abs(value_of(term)) > 1e-18; ++j) {
        term *= -x / (3.0 + j);
        psi2 += term;
      }
      psi1 = 0.5 * (1.0 - x * psi2);
      psi0 = 1.0 - x * psi1;
    } else {
      psi0 = (1.0 - exp(-x)) / x;
      psi1 = (1.0 - psi0) / x;
      psi2 = (1.0 - 2.0 * psi1) / x;
    }
    keep = 1.0 - x * psi0;
    w0 = length * psi0;
    w1 = length * psi1;
    w2 = length * psi2;
  }

  T advance(const T& q, const StepVelocity<T>& v) const { return keep * q + w0 * v.c0 + w1 * v.c1 + w2 * v.c2; }
};

}  // namespace kdyn::inline element
