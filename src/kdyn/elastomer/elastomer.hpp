// SPDX-License-Identifier: Apache-2.0
// Elastomer mount, one axis: static spring or curve + dual Kelvin-Voigt part + filler friction.
//
//   [elastomer E1]  F = F_stat(u) + k scale_freq lambda gamma (v - zdot) + k scale_ampl y
//
// k is the slope of F_stat (without its scale factor) at the operating point, i.e. at the displacement the element was
// started from; for a constant spring k = static_stiffness. Friction and Kelvin-Voigt part start from rest there, so a
// preload leaves them centred. Force is positive for positive displacement (docs/notation.md). Torsional axes: rad, N
// m, N m/rad in the same members.
//
// Changed from Scheiblegger 2018 and why (THEORY.md): lambda scales the velocity part only; the sign of the friction
// limit is minus; the friction distance runs from the last turning point to the current displacement; the default
// friction law is `masing`. Temperature acts by factors on the parameters [elastomer E23]. Not modelled: ageing, heat,
// direct coupling between axes, frequency dependence above the range of the data.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kdyn/base/curve.hpp"
#include "kdyn/elastomer/friction_memory.hpp"
#include "kdyn/elastomer/kelvin_voigt.hpp"
#include "kdyn/elastomer/temperature_table.hpp"
#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/monotone_curve.hpp"

namespace kdyn::inline elastomer {

// One line per scalar parameter: the only place that names units, bounds and meanings. The last one may be absent.
inline constexpr std::array<ParameterInfo, 12> elastomer_parameters = {{
    {"static_stiffness", "N/m", 0.0, true, 1e12,
     "Static stiffness k at the operating point; unused when a curve is given"},
    {"alpha", "-", 0.0, true, 1e6, "Ratio of the springs of the Kelvin-Voigt part"},
    {"beta", "-", 0.0, false, 1e6, "Ratio of the dampers of the Kelvin-Voigt part"},
    {"gamma", "s", 0.0, true, 1e6, "Relaxation time of the Kelvin-Voigt part"},
    {"lambda", "-", 0.0, false, 1e9, "Weight of the Kelvin-Voigt part"},
    {"rdl", "m", 0.0, false, 1e3, "Friction: displacement scale of the logarithmic law"},
    {"rho", "1/m", 0.0, false, 1e12, "Friction: inverse of the displacement at which sliding begins"},
    {"scale_freq", "-", 0.0, false, 1e6, "Scale of the frequency-dependent part"},
    {"scale_ampl", "-", 0.0, false, 1e6, "Scale of the amplitude-dependent part"},
    {"scale_curve", "-", 0.0, true, 1e6, "Scale of the static curve's force"},
    {"scale_static_stiffness", "-", 0.0, true, 1e6, "Scale of the static force of a constant spring"},
    {"ymax", "m", 0.0, true, 1e300, "Friction: limit of the friction displacement; null is unlimited"},
}};

template <class T>
struct Elastomer {
  using Scalar = T;
  template <class U>
  using Rebind = Elastomer<U>;
  static constexpr const char* model = "elastomer";
  static constexpr const char* title = "Elastomer mount";
  static constexpr int state_count = 1;  // z of [elastomer E2]
  static constexpr std::array<SignalName, 1> state_signals = {{{"z", "m", "Displacement of the Kelvin-Voigt part"}}};

  // Parameters; defaults are the published cab mount of Scheiblegger 2018, Table 3-3 without limit.
  T static_stiffness{338e3};
  T alpha{0.1014};
  T beta{0.0963};
  T gamma{0.0035};
  T lambda{0.3803};
  T rdl{8.93e-5};
  T rho{4528.2};
  std::optional<T> ymax;
  T scale_freq{1.0};
  T scale_ampl{1.0};
  T scale_curve{1.0};
  T scale_static_stiffness{1.0};

  FrictionLaw law = FrictionLaw::masing;
  StartUp start_up = StartUp::zero;
  double deadband = 1e-9;                      // g4 only, m
  Curve curve_points;                          // static curve; empty: constant stiffness
  std::shared_ptr<const MonotoneCurve> curve;  // built from curve_points by prepare()
  std::vector<TemperatureRow> temperature;     // empty: not known

  struct Memory {
    T k{0.0};  // static stiffness at the operating point
    FrictionMemory<T> friction;
  };

  template <class F>
  static void visit_memory(Memory& memory, F&& f) {
    f(memory.k);
    memory.friction.visit(f);
  }
  template <class U>
  static typename Elastomer<U>::Memory cast_memory(const Memory& memory) {
    return {U(value_of(memory.k)), memory.friction.template cast<U>()};
  }

  Friction<T> friction() const { return {law, rdl, rho, ymax}; }
  KelvinVoigt<T> kelvin_voigt() const { return {alpha, beta, gamma, lambda}; }

  // [elastomer E21]
  T static_force(const T& u) const {
    return curve ? T(scale_curve * curve->value(u)) : T(scale_static_stiffness * static_stiffness * u);
  }
  T static_slope(const T& u) const {
    return curve ? T(scale_curve * curve->slope(u)) : T(scale_static_stiffness * static_stiffness);
  }
  T stiffness_at(const T& u) const { return curve ? T(curve->slope(u)) : static_stiffness; }

  Memory start(const T& u) const { return {stiffness_at(u), FrictionMemory<T>(u)}; }

  // The law: force and state rate at a motion, for given state and memory. Pure.
  T evaluate(const Motion<T>& at, const T* z, const Memory& memory, T* z_rate) const {
    const KelvinVoigt<T> linear = kelvin_voigt();
    *z_rate = linear.rate(at.v, *z);
    return total(at, *z_rate, memory.k, memory.friction.peek(friction(), at.u, start_up));
  }

  // Accepts a step: turning points inside it are located first  [elastomer E22].
  void commit(Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h) const {
    commit_friction(memory, StepVelocity<T>(from, to, h), from, to, h);
  }

  // Exact step of state and memory; returns the force at its end  [elastomer E4] [elastomer E22].
  // Callers with many steps of one length prepare the step once.
  using Step = typename KelvinVoigt<T>::Step;
  Step prepare_step(const T& h) const { return kelvin_voigt().step(h); }
  T advance(T* z, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    const StepVelocity<T> velocity(from, to, step.h);
    const T y = commit_friction(memory, velocity, from, to, step.h);
    const KelvinVoigt<T> linear = kelvin_voigt();
    *z = linear.advance(*z, velocity, step);
    return total(to, linear.rate(to.v, *z), memory.k, y);
  }
  T advance(T* z, Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h) const {
    return advance(z, memory, from, to, prepare_step(h));
  }

  // Energy held by the static part and the Kelvin-Voigt spring, and by masing friction; J  [elastomer E5] [elastomer
  // E17].
  T stored_energy(const T& u, const T* z, const Memory& memory) const {
    T energy = memory.k * scale_freq * kelvin_voigt().stored_energy(*z) +
               memory.k * scale_ampl * memory.friction.stored_energy(friction());
    if (curve)
      energy += scale_curve * curve->integral(u);
    else
      energy += 0.5 * scale_static_stiffness * static_stiffness * u * u;
    return energy;
  }
  bool has_stored_energy() const { return law == FrictionLaw::masing; }

  // Friction displacement, and where the friction turns round.
  static constexpr std::array<SignalName, 1> output_signals = {
      {{"friction_displacement", "m", "Friction force over stiffness"}}};
  std::array<T, 1> outputs(const Motion<T>& at, const T*, const Memory& memory) const {
    return {memory.friction.peek(friction(), at.u, start_up)};
  }
  static constexpr std::array<SignalName, 1> turning_signals = {
      {{"turning", "m/s", "Zero where the friction turns round"}}};
  std::array<T, 1> turning(const Motion<T>& at, const T*, const Memory&) const { return {at.v}; }

  // [elastomer E23] From the parameters as they are to those of a temperature. A curve keeps its points: its factor goes
  // to the force, and with it to the parts that are referred to its slope.
  bool knows_temperature() const { return !temperature.empty(); }
  void forget_temperature() { temperature.clear(); }
  void heat(const T& temperature_c) {
    const T k = temperature_factor(temperature, &TemperatureRow::stiffness, temperature_c);
    static_stiffness *= k;
    scale_freq *= temperature_factor(temperature, &TemperatureRow::freq, temperature_c);
    scale_ampl *= temperature_factor(temperature, &TemperatureRow::ampl, temperature_c);
    if (curve_points.size() < 2) return;
    scale_curve *= k;
    scale_freq *= k;
    scale_ampl *= k;
  }
  // The temperature of the parameters as they are, if the table has it.
  std::optional<double> own_temperature() const {
    for (const TemperatureRow& row : temperature)
      if (row.stiffness == 1.0 && row.freq == 1.0 && row.ampl == 1.0) return row.temperature_c;
    return std::nullopt;
  }

  // What is no number, or says which numbers there are (element/archive.hpp).
  template <class Archive>
  void settings(Archive& archive) {
    archive.whole(law);
    archive.whole(start_up);
    archive(deadband);
    archive.presence(ymax);
    archive.curve(curve_points);
    archive.count(temperature);
    for (TemperatureRow& row : temperature)
      archive(row.temperature_c), archive(row.stiffness), archive(row.freq), archive(row.ampl);
  }
  // Makes anew what follows from settings and parameters.
  void complete() {
    if (curve_points.size() < 2)
      curve = nullptr;
    else if (!curve)
      curve = std::make_shared<const MonotoneCurve>(curve_points);
  }
  // After parameters have changed during the work.
  void retune(Memory& memory) const { memory.k = stiffness_at(memory.friction.origin()); }
  template <class Archive>
  static void archive_memory(Memory& memory, Archive& archive) {
    archive(memory.k);
    memory.friction.archive(archive);
  }
  static void reserve(Memory& memory, std::size_t points) { memory.friction.reserve(points); }
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(elastomer_parameters, name); }

  // Calls f(name, member) for every scalar parameter that is in use: where derivatives with respect to parameters are
  // seeded.
  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(elastomer_parameters[i].name, this->*members[i]);
    if (ymax) f("ymax", *ymax);
  }

  // The same law with another scalar: Elastomer<Jet<N>> for exact derivatives.
  template <class U>
  Elastomer<U> cast() const {
    Elastomer<U> other;
    for (std::size_t i = 0; i < members.size(); ++i) other.*Elastomer<U>::members[i] = U(value_of(this->*members[i]));
    if (ymax) other.ymax = U(value_of(*ymax));
    other.law = law;
    other.start_up = start_up;
    other.deadband = deadband;
    other.curve_points = curve_points;
    other.curve = curve;
    other.temperature = temperature;
    return other;
  }

  // Scalar parameters in the order of elastomer_parameters.
  static constexpr std::array members = {&Elastomer::static_stiffness,
                                         &Elastomer::alpha,
                                         &Elastomer::beta,
                                         &Elastomer::gamma,
                                         &Elastomer::lambda,
                                         &Elastomer::rdl,
                                         &Elastomer::rho,
                                         &Elastomer::scale_freq,
                                         &Elastomer::scale_ampl,
                                         &Elastomer::scale_curve,
                                         &Elastomer::scale_static_stiffness};

 private:
  // [elastomer E1]
  T total(const Motion<T>& at, const T& z_rate, const T& k, const T& y) const {
    return static_force(at.u) + k * (scale_freq * kelvin_voigt().output(at.v, z_rate) + scale_ampl * y);
  }

  T commit_friction(Memory& memory, const StepVelocity<T>& velocity, const Motion<T>& from, const Motion<T>& to,
                    const T& h) const {
    const Friction<T> p = friction();
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i)
      memory.friction.commit(p, T(from.u + h * velocity.travelled(roots[static_cast<std::size_t>(i)])), start_up,
                             deadband);
    return memory.friction.commit(p, to.u, start_up, deadband);
  }
};

}  // namespace kdyn::inline elastomer
