// SPDX-License-Identifier: Apache-2.0
// The Element concept: what a one-axis mount law must offer, and nothing about how it is used.
//
// A law is a small value type Law<T> whose parameters are plain members of scalar T:
//   state_count                 number of ODE states x
//   Memory start(u)             memory at rest at displacement u; states are zero there
//   evaluate(motion, x, memory, x_rate) -> force    the law itself, pure  [element E1]
//   commit(memory, from, x_from, to, x_to, h)       accept a step integrated outside: only here and in advance does memory change
//   prepare_step(h) -> Step; advance(x, memory, from, to, step) -> force    one accepted step of states and memory
//   cast<U>()                   the same law with another scalar (Jet for exact derivatives)
// and may offer signals beside motion and force:
//   output_signals, outputs(motion, x, memory)      what sensors inside would show: pressure, fluid velocity
//   input_signals, set_input(memory, index, value)  what acts on it from outside: a switch
// Invariants (tested for every law by element/conformance.hpp): at rest force is the static force and rates vanish; evaluate does not
// depend on evaluations in between; derivatives by Jet agree with differences; steady work over a cycle is not negative.
//
// simulate, linearise, the virtual rig, identification and exported models use laws through this concept only.
#pragma once

#include <concepts>

#include "kdyn/element/motion.hpp"

namespace kdyn {

template <class L>
concept Element = requires(const L law, typename L::Memory memory, const typename L::Scalar u, typename L::Scalar* x, const Motion<typename L::Scalar> m) {
  { L::state_count } -> std::convertible_to<int>;
  { law.start(u) } -> std::same_as<typename L::Memory>;
  { law.evaluate(m, x, memory, x) } -> std::same_as<typename L::Scalar>;
  law.commit(memory, m, x, m, x, u);
  { law.advance(x, memory, m, m, law.prepare_step(u)) } -> std::same_as<typename L::Scalar>;
  { law.static_force(u) } -> std::same_as<typename L::Scalar>;
  law.template cast<double>();
};

}  // namespace kdyn
