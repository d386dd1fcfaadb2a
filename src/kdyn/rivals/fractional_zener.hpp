// SPDX-License-Identifier: Apache-2.0
// Fractional Zener mount: the frequency dependence of rubber with four numbers; linear, so without amplitude
// dependence.
//
//   [rivals E9]   K(iw) = k (1 + h (i w tau)^alpha/(1 + (i w tau)^alpha))     exact; 0 < alpha <= 1, alpha = 1 is the Zener solid
//   [rivals E10]  F = k u + k (sum_i h_i q_i + c v),   q_i' = v - q_i/tau_i   ladder of 16 states and a damper for simulation
// The relaxation spectrum of [rivals E9] is positive, so non-negative h_i exist; they are found by non-negative least
// squares over the band of the model (default 0.01 Hz to 1 kHz), tau_i evenly spaced in the logarithm, one of them
// slower than the band. Inside the band, a factor of two from its ends, the ladder errs by less than 2e-3 (1.3e-4 for
// orders up to 0.4).
//
// complete() builds the ladder after parameters change, and its derivatives by them. A Jet law has constant ladder
// weights until follow_parameters() is called, after the parameters are seeded.
#pragma once

#include <cmath>

#include "kdyn/element/parameter.hpp"
#include "kdyn/rivals/relaxation_bank.hpp"

namespace kdyn::inline rivals {

template <class T>
struct FractionalZener {
  using Scalar = T;
  template <class U>
  using Rebind = FractionalZener<U>;
  static constexpr int ladder_states = 16;
  static constexpr int state_count = ladder_states;
  static constexpr const char* model = "fractional_zener";
  static constexpr bool linear = true;
  static constexpr const char* title = "Fractional Zener mount";
  static constexpr std::array<SignalName, ladder_states> state_signals = {{
      {"q_1", "m", "Extension of rung 1 of the ladder"},
      {"q_2", "m", "Extension of rung 2 of the ladder"},
      {"q_3", "m", "Extension of rung 3 of the ladder"},
      {"q_4", "m", "Extension of rung 4 of the ladder"},
      {"q_5", "m", "Extension of rung 5 of the ladder"},
      {"q_6", "m", "Extension of rung 6 of the ladder"},
      {"q_7", "m", "Extension of rung 7 of the ladder"},
      {"q_8", "m", "Extension of rung 8 of the ladder"},
      {"q_9", "m", "Extension of rung 9 of the ladder"},
      {"q_10", "m", "Extension of rung 10 of the ladder"},
      {"q_11", "m", "Extension of rung 11 of the ladder"},
      {"q_12", "m", "Extension of rung 12 of the ladder"},
      {"q_13", "m", "Extension of rung 13 of the ladder"},
      {"q_14", "m", "Extension of rung 14 of the ladder"},
      {"q_15", "m", "Extension of rung 15 of the ladder"},
      {"q_16", "m", "Extension of rung 16 of the ladder"},
  }};

  T static_stiffness{338e3};
  T hardening{1.0};
  T relaxation_time{1e-4};
  T order{0.4};
  double band_lower_hz = 0.01, band_upper_hz = 1000.0;

  static constexpr std::array<ParameterInfo, 4> parameters = {{
      {"static_stiffness", "N/m", 0.0, true, 1e12, "Static stiffness"},
      {"hardening", "-", 0.0, false, 1e9, "Stiffness at high frequency over static stiffness, minus one"},
      {"relaxation_time", "s", 0.0, true, 1e6, "Relaxation time tau"},
      {"order", "-", 0.0, true, 1.0, "Order alpha of the fractional derivative"},
  }};
  static constexpr std::array members = {&FractionalZener::static_stiffness, &FractionalZener::hardening,
                                         &FractionalZener::relaxation_time, &FractionalZener::order};

  // Made by complete(), per unit of static stiffness.
  RelaxationBank<T, ladder_states> ladder;
  T ladder_damping{0.0};
  // By hardening, relaxation_time and order: the shape of the ladder does not depend on the static stiffness.
  struct LadderSlope {
    std::array<double, ladder_states> stiffness{}, relaxation_time{};
    double damping = 0.0;
  };
  std::array<LadderSlope, 3> ladder_slope{};
  std::array<double, 5>
      ladder_made_for{};  // hardening, relaxation_time, order, band: complete() has nothing to do while they stay

  // Lets the ladder follow derivatives that were seeded in the parameters.
  void follow_parameters() {
    const T* shape[3] = {&hardening, &relaxation_time, &order};
    for (std::size_t p = 0; p < 3; ++p) {
      const T change = *shape[p] - value_of(*shape[p]);
      for (std::size_t i = 0; i < ladder_states; ++i) {
        ladder.stiffness[i] += ladder_slope[p].stiffness[i] * change;
        ladder.relaxation_time[i] += ladder_slope[p].relaxation_time[i] * change;
      }
      ladder_damping += ladder_slope[p].damping * change;
    }
  }

  template <class Archive>
  void settings(Archive& archive) {
    archive(band_lower_hz);
    archive(band_upper_hz);
  }
  void complete();
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }
  static std::array<double, 4> first_guess(const MapSizes& s) { return {0.8 * s.k_low, 1.0, 0.03 / s.omega, 0.4}; }

  struct Memory {};
  using Step = typename RelaxationBank<T, ladder_states>::Step;
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return static_stiffness * u; }
  T evaluate(const Motion<T>& at, const T* q, const Memory&, T* rate) const {
    return static_stiffness * (at.u + ladder.evaluate(at.v, q, rate) + ladder_damping * at.v);
  }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T& h) const { return ladder.prepare_step(h); }
  T advance(T* q, Memory&, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    return static_stiffness *
           (to.u + ladder.advance(q, StepVelocity<T>(from, to, step.h), step) + ladder_damping * to.v);
  }
  T stored_energy(const T& u, const T* q, const Memory&) const {
    return static_stiffness * (0.5 * u * u + ladder.stored_energy(q));
  }
  bool has_stored_energy() const { return true; }

  // [rivals E9]
  Complex<T> harmonic(double omega, const T&) const {
    using std::cos;
    using std::exp;
    using std::log;
    using std::sin;
    const T size = exp(order * log(omega * relaxation_time)), angle = 0.5 * constants::pi * order;
    const Complex<T> x{size * cos(angle), size * sin(angle)}, one{T(1.0), T(0.0)};
    return static_stiffness * (one + hardening * (x / (one + x)));
  }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }

  template <class U>
  FractionalZener<U> cast() const {
    FractionalZener<U> other = cast_members<FractionalZener<U>>(*this);
    other.band_lower_hz = band_lower_hz;
    other.band_upper_hz = band_upper_hz;
    other.ladder = ladder.template cast<U>();
    other.ladder_damping = U(value_of(ladder_damping));
    other.ladder_made_for = ladder_made_for;
    for (std::size_t p = 0; p < ladder_slope.size(); ++p) {
      other.ladder_slope[p].stiffness = ladder_slope[p].stiffness;
      other.ladder_slope[p].relaxation_time = ladder_slope[p].relaxation_time;
      other.ladder_slope[p].damping = ladder_slope[p].damping;
    }
    return other;
  }
};

}  // namespace kdyn::inline rivals

#include "kdyn/rivals/fractional_ladder.hpp"
