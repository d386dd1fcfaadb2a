// SPDX-License-Identifier: Apache-2.0
// Kelvin-Voigt mount: spring and damper in parallel. What most vehicle models use; it knows no amplitude, and its loss
// angle rises with frequency without bound.
//
//   [rivals E1]  F = k u + c v,   K(iw) = k + i w c
//
// Units SI. Not modelled: amplitude dependence, relaxation.
#pragma once

#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline rivals {

template <class T>
struct KelvinVoigtMount {
  using Scalar = T;
  template <class U>
  using Rebind = KelvinVoigtMount<U>;
  static constexpr int state_count = 0;
  static constexpr const char* model = "kelvin_voigt";
  static constexpr bool linear = true;
  static constexpr const char* title = "Kelvin-Voigt mount";
  static constexpr std::array<SignalName, 0> state_signals = {};

  T stiffness{338e3};
  T damping{500.0};

  static constexpr std::array<ParameterInfo, 2> parameters = {
      {{"stiffness", "N/m", 0.0, true, 1e12, "Stiffness of the spring"},
       {"damping", "N*s/m", 0.0, false, 1e12, "Coefficient of the damper"}}};
  static constexpr std::array members = {&KelvinVoigtMount::stiffness, &KelvinVoigtMount::damping};

  // All of it is in the parameters (element/archive.hpp).
  template <class Archive>
  void settings(Archive&) {}
  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }
  static std::array<double, 2> first_guess(const MapSizes& s) { return {s.k_low, s.loss / s.omega}; }

  struct Memory {};
  struct Step {};
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return stiffness * u; }
  T evaluate(const Motion<T>& at, const T*, const Memory&, T*) const { return stiffness * at.u + damping * at.v; }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T&) const { return {}; }
  T advance(T*, Memory&, const Motion<T>&, const Motion<T>& to, const Step&) const {
    return stiffness * to.u + damping * to.v;
  }
  T stored_energy(const T& u, const T*, const Memory&) const { return 0.5 * stiffness * u * u; }
  bool has_stored_energy() const { return true; }

  // First harmonic at angular frequency omega; the amplitude does not matter.
  Complex<T> harmonic(double omega, const T&) const { return {stiffness, omega * damping}; }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }

  template <class U>
  KelvinVoigtMount<U> cast() const {
    return cast_members<KelvinVoigtMount<U>>(*this);
  }
};

}  // namespace kdyn::inline rivals
