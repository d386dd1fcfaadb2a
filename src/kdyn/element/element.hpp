// SPDX-License-Identifier: Apache-2.0
// The Element concept: what a one-axis mount law must offer, and nothing about how it is used.
//
// A law is a small value type Law<T> whose parameters are plain members of scalar T:
//   state_count                 number of ODE states x
//   Memory start(u)             memory at rest at displacement u; states are zero there
//   evaluate(motion, x, memory, x_rate) -> force    the law itself, pure  [element E1]
//   commit(memory, from, to, h), or, where memory depends on states, commit(memory, from, x_from, to, x_to, h)
//                               accept a step integrated outside: only here and in advance does memory change
//   prepare_step(h) -> Step; advance(x, memory, from, to, step) -> force    one accepted step of states and memory
//   static_force(u)             force at rest at u
//   visit_parameters(f)         calls f(name, member) for every scalar parameter: where a user seeds derivatives
//   cast<U>()                   the same law with another scalar (Jet for exact derivatives)
// and, where it knows them,
//   has_stored_energy(), stored_energy(u, x, memory)        energy it could give back, J
//   output_signals, outputs(motion, x, memory)              what sensors inside would show: pressure, fluid velocity
//   input_signals, set_input(memory, index, value)          what acts on it from outside: a switch
//   visit_memory(memory, f), cast_memory<U>(memory)         f for every number in Memory, and Memory with another scalar: a law whose Memory
//                                                           is not empty needs them inside a multibody model, whose gradients pass through it
// Invariants, tested for every law by element/conformance.hpp: at rest force is the static force and rates vanish;
// evaluate does not depend on evaluations in between; derivatives by Jet agree with differences; where energy is known,
// work minus stored energy never falls.
//
// simulate, linearise, the virtual rig, identification and exported models use laws through this concept only.
#pragma once

#include <concepts>

#include "kdyn/element/motion.hpp"

namespace kdyn::inline element {

template <class L>
concept CommitsMotion = requires(const L law, typename L::Memory memory, const typename L::Scalar h,
                                 const Motion<typename L::Scalar> m) {
  law.commit(memory, m, m, h);
};
template <class L>
concept CommitsStates = requires(const L law, typename L::Memory memory, const typename L::Scalar h,
                                 const typename L::Scalar* x, const Motion<typename L::Scalar> m) {
  law.commit(memory, m, x, m, x, h);
};

template <class L>
concept Element = requires(const L law, L changing, typename L::Memory memory, const typename L::Scalar u,
                           typename L::Scalar* x, const Motion<typename L::Scalar> m) {
  { L::state_count } -> std::convertible_to<int>;
  { law.start(u) } -> std::same_as<typename L::Memory>;
  { law.evaluate(m, x, memory, x) } -> std::same_as<typename L::Scalar>;
  requires CommitsMotion<L> || CommitsStates<L>;
  { law.advance(x, memory, m, m, law.prepare_step(u)) } -> std::same_as<typename L::Scalar>;
  { law.static_force(u) } -> std::same_as<typename L::Scalar>;
  changing.visit_parameters([](const char*, typename L::Scalar&) {});
  law.template cast<double>();
};

// Accepts a step of any law whose states were integrated outside.
template <Element L>
void commit_step(const L& law, typename L::Memory& memory, const Motion<typename L::Scalar>& from,
                 const typename L::Scalar* x_from, const Motion<typename L::Scalar>& to, const typename L::Scalar* x_to,
                 const typename L::Scalar& h) {
  if constexpr (CommitsStates<L>)
    law.commit(memory, from, x_from, to, x_to, h);
  else
    law.commit(memory, from, to, h);
}

// A law that can tell its stored energy, at least for some of its settings.
template <class L>
concept StoresEnergy = requires(const L law, const typename L::Memory memory, const typename L::Scalar u,
                                const typename L::Scalar* x) {
  { law.has_stored_energy() } -> std::convertible_to<bool>;
  { law.stored_energy(u, x, memory) } -> std::same_as<typename L::Scalar>;
};

}  // namespace kdyn::inline element
