// SPDX-License-Identifier: Apache-2.0
// Hydro mount, one axis: main rubber beside a fluid chamber whose rubber swells, with a fluid column in a channel.
//
//   [hydromount E1]  F = F_T(u) + p A_B
//   [hydromount E2]  u2' = v - R v_K - Q_b/A_B,  R = A_K/A_B;   uB = phi(u2);   p0 A_B = F_B(uB)
//   [hydromount E3]  m_K v_K' = p A_K - d v_K - b |v_K|^(n-1) v_K,   m_K = rho_F A_K l_K
//
// F_T and F_B are full elastomer laws (an elastomer with static stiffness alone is a plain spring). p comes from p0 by
// the pressure limit [hydromount E7], Q_b is the bypass [hydromount E8], phi the decoupler [hydromount E5]; each of
// them may be absent. Damping: b stands by itself; with coupled_damping it is d b, b then in s/m (the two readings of
// the source). The hydraulics are centred where the element was started: a preload rests on the main rubber alone.
//
// States: z of both rubbers, q = displacement of the chamber fluid that has left through channel and bypass (m, so u2 =
// u - u_start - q), and the fluid velocity v_K (m/s). Units SI. Valid for small strokes against the chamber height.
// Input signal `coupling` in [0, 1], default 1: 0 vents the decoupler of a switchable mount, the hydraulics carry
// nothing; between the two it scales the gradient K. Hydraulics that are switched on again start without pressure, so
// switching never creates energy. Temperature acts by factors on the rubbers and on the damping of the fluid [hydromount
// E19]. Not modelled: cavitation, compressibility of the fluid, direction-dependent bypass.
#pragma once

#include <array>
#include <optional>

#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/hydromount/decoupler.hpp"
#include "kdyn/hydromount/fluid.hpp"
#include "kdyn/numerics/linear_table.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::inline hydromount {

inline constexpr std::array<ParameterInfo, 13> hydromount_parameters = {{
    {"chamber_area", "m^2", 0.0, true, 1e3, "Effective piston area A_B of the chamber"},
    {"channel_area", "m^2", 0.0, true, 1e3, "Cross-section A_K of the fluid channel"},
    {"channel_length", "m", 0.0, true, 1e9, "Length l_K of the fluid channel"},
    {"fluid_density", "kg/m^3", 0.0, true, 1e5, "Density of the fluid"},
    {"fluid_damping_linear", "N*s/m", 0.0, false, 1e12, "Linear damping d of the fluid in the channel"},
    {"fluid_damping_nonlinear", "N*(s/m)^n", 0.0, false, 1e15,
     "Coefficient b of the damping |v|^n; with coupled_damping the factor beta of d"},
    {"decoupler_gradient", "-", 0.0, false, 1.0, "Gradient K of the decoupler; 0 decouples entirely"},
    {"decoupler_residual_slope", "-", 0.0, false, 1.0,
     "Share of the chamber that a soft membrane couples at small strokes; 0 as published"},
    {"pressure_limit_smoothing", "Pa", 0.0, true, 1e9, "Width of the transition to the pressure limit"},
    // These may be absent.
    {"decoupler_clearance", "m", 0.0, true, 1.0, "Clearance D of the decoupler; null: no decoupler"},
    {"pressure_limit", "Pa", 0.0, true, 1e12,
     "Pressure below rest at which the rebound side is limited; null: no limit"},
    {"bypass_area", "m^2", 0.0, false, 1e3, "Area of the bypass orifice; null: no bypass"},
    {"bypass_threshold", "Pa", 0.0, true, 1e12, "Pressure at which the bypass opens, both ways"},
}};

// Factors on the damping of the fluid; those of the rubbers stand in their own tables  [hydromount E19].
struct FluidTemperatureRow {
  double temperature_c = 0.0, damping_linear = 1.0, damping_nonlinear = 1.0;
};

template <class T>
struct HydroMount {
  using Scalar = T;
  template <class U>
  using Rebind = HydroMount<U>;
  static constexpr const char* model = "hydromount";
  static constexpr const char* title = "Hydro mount";
  static constexpr int state_count = 4;
  static constexpr std::array<SignalName, 4> state_signals = {{
      {"main_z", "m", "Displacement of the main rubber's Kelvin-Voigt part"},
      {"chamber_z", "m", "Displacement of the chamber rubber's Kelvin-Voigt part"},
      {"flow", "m", "Displacement of chamber fluid that has left through channel and bypass"},
      {"channel_velocity", "m/s", "Velocity of the fluid in the channel"},
  }};
  enum State { main_z, chamber_z, flow, fluid_velocity };

  Elastomer<T> main_rubber, chamber_rubber;
  // Defaults: the hydro cab mount of Scheiblegger 2018, paper B, Table 1.
  T chamber_area{8.586e-3};
  T channel_area{8.191e-5};
  T channel_length{0.248428};
  T fluid_density{950.0835134858696};
  T fluid_damping_linear{0.333};
  T fluid_damping_nonlinear{1.393};
  T decoupler_gradient{1.0};
  T decoupler_residual_slope{0.0};
  T pressure_limit_smoothing{1e3};
  std::optional<T> decoupler_clearance, pressure_limit, bypass_area, bypass_threshold;
  double fluid_damping_exponent = 2.0;
  bool coupled_damping = false;
  Curve chamber_preload_curve;  // factor on the chamber force over the preload at the start, N; empty: 1
  Curve switch_signal;          // coupling over time since the start, s; empty: the input signal decides
  std::vector<FluidTemperatureRow> temperature;  // empty: the fluid does not change

  // A corner of the switch signal this close to the end of a step, over its length, is taken to lie there: times of
  // steps are sums.
  static constexpr double switch_resolution = 1e-9;

  struct Memory {
    typename Elastomer<T>::Memory main, chamber;
    T origin{0.0};  // u where u2 = 0 and q = 0
    double chamber_factor = 1.0;
    T coupling{1.0};
    double time = 0.0;
  };

  template <class F>
  static void visit_memory(Memory& memory, F&& f) {
    Elastomer<T>::visit_memory(memory.main, f);
    Elastomer<T>::visit_memory(memory.chamber, f);
    f(memory.origin);
  }
  template <class U>
  static typename HydroMount<U>::Memory cast_memory(const Memory& memory) {
    return {Elastomer<T>::template cast_memory<U>(memory.main),
            Elastomer<T>::template cast_memory<U>(memory.chamber),
            U(value_of(memory.origin)),
            memory.chamber_factor,
            U(value_of(memory.coupling)),
            memory.time};
  }

  T area_ratio() const { return channel_area / chamber_area; }
  T fluid_mass() const { return fluid_density * channel_area * channel_length; }
  T power_damping() const {
    return coupled_damping ? T(fluid_damping_linear * fluid_damping_nonlinear) : fluid_damping_nonlinear;
  }
  T fluid_friction(const T& v) const {
    return fluid_damping_linear * v + power_damping() * odd_power(v, fluid_damping_exponent);
  }
  bool has_bypass() const { return bypass_area.has_value() && bypass_threshold.has_value(); }
  Decoupler<T> decoupler(const T& coupling) const {
    return {decoupler_clearance.value_or(T(0.0)), decoupler_gradient * coupling, decoupler_residual_slope};
  }
  // The law answers -u with -F: no limit on one side and no static curve in the chamber.
  bool odd_hydraulics() const { return !pressure_limit && !chamber_rubber.curve; }

  T static_force(const T& u) const { return main_rubber.static_force(u); }
  T static_slope(const T& u) const { return main_rubber.static_slope(u); }

  Memory start(const T& u) const {
    Memory memory{main_rubber.start(u), chamber_rubber.start(T(0.0)), u, 1.0, T(1.0), 0.0};
    if (!chamber_preload_curve.empty())
      memory.chamber_factor = table_value(chamber_preload_curve, value_of(static_force(u)));
    if (!switch_signal.empty()) memory.coupling = table_value(switch_signal, 0.0);
    return memory;
  }

  // What goes on inside at a motion: pressure and rates of the chamber.
  struct Inside {
    T pressure{0.0};  // p, Pa against the pressure at rest
    T bypass{0.0};    // Q_b, m^3/s
    T u2{0.0}, u2_rate{0.0}, chamber_u{0.0};
  };
  Inside inside(const Motion<T>& at, const T* x, const Memory& memory, T* chamber_rate) const {
    Inside now;
    now.u2 = at.u - memory.origin - x[flow];
    const T inflow = at.v - area_ratio() * x[fluid_velocity];
    now.u2_rate = inflow;
    if (memory.coupling <= 0.0) {
      chamber_rubber.evaluate({T(0.0), T(0.0)}, x + chamber_z, memory.chamber, chamber_rate);
      return now;
    }
    const Decoupler<T> valve = decoupler(memory.coupling);
    now.chamber_u = valve.displacement(now.u2);
    const T slope = valve.slope(now.u2);
    if (!has_bypass()) {
      const T force =
          chamber_rubber.evaluate({now.chamber_u, slope * inflow}, x + chamber_z, memory.chamber, chamber_rate);
      now.pressure = limit(memory.chamber_factor * force / chamber_area);
      return now;
    }
    now.pressure = solve_bypass(now.chamber_u, slope, inflow, x, memory, now.bypass);
    now.u2_rate = inflow - now.bypass / chamber_area;
    chamber_rubber.evaluate({now.chamber_u, slope * now.u2_rate}, x + chamber_z, memory.chamber, chamber_rate);
    return now;
  }

  // The law: force and state rates at a motion. Pure.
  T evaluate(const Motion<T>& at, const T* x, const Memory& memory, T* rate) const {
    const T main = main_rubber.evaluate(at, x + main_z, memory.main, rate + main_z);
    return main + chamber_area * fluid_rates(at, x, memory, rate).pressure;
  }
  // The rates of chamber and fluid alone.
  Inside fluid_rates(const Motion<T>& at, const T* x, const Memory& memory, T* rate) const {
    const Inside now = inside(at, x, memory, rate + chamber_z);
    rate[flow] = at.v - now.u2_rate;
    rate[fluid_velocity] = (now.pressure * channel_area - fluid_friction(x[fluid_velocity])) / fluid_mass();
    return now;
  }

  // Accepts a step whose states were integrated outside. The chamber's path between its ends is the cubic of u2 and its
  // rate. A switch signal goes straight from its value at the start to that just before the end: whoever steps over a
  // jump of it ends a step there.
  void commit(Memory& memory, const Motion<T>& from, const T* x_from, const Motion<T>& to, const T* x_to,
              const T& h) const {
    std::array<T, state_count> unused;
    const Inside begin = inside(from, x_from, memory, unused.data() + chamber_z);
    const double first = value_of(memory.coupling),
                 last = switch_signal.empty()
                            ? first
                            : table_value(switch_signal, memory.time + (1.0 - switch_resolution) * value_of(h));
    memory.coupling = last;
    const Inside end = inside(to, x_to, memory, unused.data() + chamber_z);
    main_rubber.commit(memory.main, from, to, h);
    const StepVelocity<T> velocity({begin.u2, begin.u2_rate}, {end.u2, end.u2_rate}, h);
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i) {
      const double s = roots[static_cast<std::size_t>(i)];
      memory.coupling = first + s * (last - first);
      commit_chamber(memory, T(begin.u2 + h * velocity.travelled(s)));
    }
    memory.coupling = last;
    commit_chamber(memory, end.u2);
    finish_step(memory, to, x_to, h);
  }
  void commit_chamber(Memory& memory, const T& u2) const {
    if (memory.coupling > 0.0)
      memory.chamber.friction.commit(chamber_rubber.friction(), decoupler(memory.coupling).displacement(u2),
                                     chamber_rubber.start_up, chamber_rubber.deadband);
  }

  // One accepted step of states and memory; returns the force at its end. Implemented in hydromount/step.hpp.
  struct Step {
    T h{0.0};
    typename Elastomer<T>::Step main;
  };
  Step prepare_step(const T& h) const { return {h, main_rubber.prepare_step(h)}; }
  T advance(T* x, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const;
  T advance(T* x, Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h) const {
    return advance(x, memory, from, to, prepare_step(h));
  }

  // Clock, switch signal and venting at the end of an accepted step.
  void finish_step(Memory& memory, const Motion<T>& to, const T* x, const T& h) const {
    memory.time += value_of(h);
    if (!switch_signal.empty())
      memory.coupling = table_value(switch_signal, memory.time + switch_resolution * value_of(h));
    if (memory.coupling > 0.0) return;
    memory.origin = to.u - x[flow];
    memory.chamber = chamber_rubber.start(T(0.0));
  }

  // [hydromount E10] Energy of both rubbers, of the chamber's spring behind the decoupler, and of the moving fluid.
  bool has_stored_energy() const {
    const bool chamber_is_spring = (value_of(chamber_rubber.rdl) <= 0.0 || value_of(chamber_rubber.rho) <= 0.0) &&
                                   value_of(chamber_rubber.lambda) <= 0.0;
    return main_rubber.has_stored_energy() && !pressure_limit && switch_signal.empty() &&
           (chamber_is_spring ||
            (!decoupler_clearance && value_of(decoupler_gradient) == 1.0 && chamber_rubber.has_stored_energy()));
  }
  T stored_energy(const T& u, const T* x, const Memory& memory) const {
    const T kinetic = 0.5 * fluid_mass() * x[fluid_velocity] * x[fluid_velocity];
    const T main = main_rubber.stored_energy(u, x + main_z, memory.main);
    if (memory.coupling <= 0.0) return main + kinetic;
    const T u2 = u - memory.origin - x[flow];
    const Decoupler<T> valve = decoupler(memory.coupling);
    if (!decoupler_clearance) {
      // A gradient below 1 is a lever: the fluid's stroke is longer than the rubber's.
      const double lever = value_of(decoupler_gradient) * value_of(memory.coupling);
      return main + kinetic +
             memory.chamber_factor / lever *
                 chamber_rubber.stored_energy(valve.displacement(u2), x + chamber_z, memory.chamber);
    }
    const T sign(value_of(u2) < 0.0 ? -1.0 : 1.0);
    // Two panels: the decoupler's knee lies near the clearance.
    const T reach = sign * u2,
            knee = value_of(reach) > 2.0 * value_of(*decoupler_clearance) ? T(2.0 * *decoupler_clearance) : reach;
    const auto force = [&](const T& r) {
      return T(sign * chamber_rubber.static_force(valve.displacement(T(sign * r))));
    };
    const T spring =
        integrate(knee, force) + integrate(T(reach - knee), [&](const T& r) { return force(T(knee + r)); });
    return main + kinetic + memory.chamber_factor * spring;
  }

  // Signals a bench with sensors inside would show; names and units in output_signals.
  static constexpr std::array<SignalName, 4> output_signals = {{
      {"pressure", "Pa", "Pressure in the chamber"},
      {"fluid_velocity", "m/s", "Velocity of the fluid in the channel"},
      {"chamber_displacement", "m", "Displacement taken up by the chamber"},
      {"bypass_flow", "m^3/s", "Volume flow through the bypass"},
  }};
  std::array<T, 4> outputs(const Motion<T>& at, const T* x, const Memory& memory) const {
    T unused;
    const Inside now = inside(at, x, memory, &unused);
    return {now.pressure, x[fluid_velocity], now.u2, now.bypass};
  }
  static constexpr std::array<InputName, 1> input_signals = {
      {{"coupling", "-", "1: hydraulics work, 0: vented by the switch of the mount", 1.0, 0.0, 1.0}}};
  bool listens() const { return switch_signal.empty(); }  // else its own table switches it
  template <class V>
  void set_input(Memory& memory, std::size_t, const V& value) const {
    memory.coupling = T(value);
  }
  double input_value(const Memory& memory, std::size_t) const { return value_of(memory.coupling); }

  // Where the rubbers turn round.
  static constexpr std::array<SignalName, 2> turning_signals = {
      {{"turning_main", "m/s", "Zero where the main rubber turns round"},
       {"turning_chamber", "m/s", "Zero where the chamber turns round"}}};
  std::array<T, 2> turning(const Motion<T>& at, const T* x, const Memory& memory) const {
    T unused;
    return {at.v, inside(at, x, memory, &unused).u2_rate};
  }

  // [hydromount E19] From the parameters as they are to those of a temperature.
  bool knows_temperature() const {
    return !temperature.empty() || main_rubber.knows_temperature() || chamber_rubber.knows_temperature();
  }
  void forget_temperature() {
    temperature.clear();
    main_rubber.forget_temperature();
    chamber_rubber.forget_temperature();
  }
  void heat(const T& temperature_c) {
    if (main_rubber.knows_temperature()) main_rubber.heat(temperature_c);
    if (chamber_rubber.knows_temperature()) chamber_rubber.heat(temperature_c);
    if (temperature.empty()) return;
    const T linear = temperature_factor(temperature, &FluidTemperatureRow::damping_linear, temperature_c);
    T nonlinear = temperature_factor(temperature, &FluidTemperatureRow::damping_nonlinear, temperature_c);
    if (coupled_damping) nonlinear /= linear;
    fluid_damping_linear *= linear;
    fluid_damping_nonlinear *= nonlinear;
  }
  std::optional<double> own_temperature() const {
    const auto own = [](const auto& rows, double at, auto... factors) {
      return rows.empty() || ((temperature_factor(rows, factors, at) == 1.0) && ...);
    };
    const auto all_own = [&](double at) {
      for (const Elastomer<T>* rubber : {&main_rubber, &chamber_rubber})
        if (!own(rubber->temperature, at, &TemperatureRow::stiffness, &TemperatureRow::freq, &TemperatureRow::ampl))
          return false;
      return own(temperature, at, &FluidTemperatureRow::damping_linear, &FluidTemperatureRow::damping_nonlinear);
    };
    for (const Elastomer<T>* rubber : {&main_rubber, &chamber_rubber})
      for (const TemperatureRow& row : rubber->temperature)
        if (all_own(row.temperature_c)) return row.temperature_c;
    for (const FluidTemperatureRow& row : temperature)
      if (all_own(row.temperature_c)) return row.temperature_c;
    return std::nullopt;
  }

  // Settings, derived data and memory as numbers: element/archive.hpp.
  template <class Archive>
  void settings(Archive& archive) {
    main_rubber.settings(archive);
    chamber_rubber.settings(archive);
    archive(fluid_damping_exponent);
    archive.whole(coupled_damping);
    for (const auto member : optional_members) archive.presence(this->*member);
    archive.curve(chamber_preload_curve);
    archive.curve(switch_signal);
    archive.count(temperature);
    for (FluidTemperatureRow& row : temperature)
      archive(row.temperature_c), archive(row.damping_linear), archive(row.damping_nonlinear);
  }
  void complete() {
    main_rubber.complete();
    chamber_rubber.complete();
  }
  void retune(Memory& memory) const {
    main_rubber.retune(memory.main);
    chamber_rubber.retune(memory.chamber);
  }
  template <class Archive>
  static void archive_memory(Memory& memory, Archive& archive) {
    Elastomer<T>::archive_memory(memory.main, archive);
    Elastomer<T>::archive_memory(memory.chamber, archive);
    archive(memory.origin);
    archive(memory.chamber_factor);
    archive(memory.coupling);
    archive(memory.time);
  }
  static void reserve(Memory& memory, std::size_t points) {
    Elastomer<T>::reserve(memory.main, points);
    Elastomer<T>::reserve(memory.chamber, points);
  }
  static const ParameterInfo* find_parameter(const char* name) {
    for (const char* part : {"main_rubber", "chamber_rubber"})
      if (const char* inner = name_in_part(name, part)) return Elastomer<T>::find_parameter(inner);
    return parameter_named(hydromount_parameters, name);
  }

  // Every scalar parameter by name, those of the rubbers after their part.
  template <class F>
  void visit_parameters(F&& f) {
    const auto part = [&](Elastomer<T>& rubber, const char* place) {
      rubber.visit_parameters([&](const char* name, T& value) { f(PartName(place, name).text, value); });
    };
    part(main_rubber, "main_rubber");
    part(chamber_rubber, "chamber_rubber");
    for (std::size_t i = 0; i < members.size(); ++i) f(hydromount_parameters[i].name, this->*members[i]);
    for (std::size_t i = 0; i < optional_members.size(); ++i)
      if (this->*optional_members[i]) f(hydromount_parameters[members.size() + i].name, *(this->*optional_members[i]));
  }

  template <class U>
  HydroMount<U> cast() const {
    HydroMount<U> other;
    other.main_rubber = main_rubber.template cast<U>();
    other.chamber_rubber = chamber_rubber.template cast<U>();
    for (std::size_t i = 0; i < members.size(); ++i) other.*HydroMount<U>::members[i] = U(value_of(this->*members[i]));
    for (std::size_t i = 0; i < optional_members.size(); ++i)
      if (this->*optional_members[i])
        other.*HydroMount<U>::optional_members[i] = U(value_of(*(this->*optional_members[i])));
    other.fluid_damping_exponent = fluid_damping_exponent;
    other.coupled_damping = coupled_damping;
    other.chamber_preload_curve = chamber_preload_curve;
    other.switch_signal = switch_signal;
    other.temperature = temperature;
    return other;
  }
  // In the order of hydromount_parameters.
  static constexpr std::array members = {&HydroMount::chamber_area,
                                         &HydroMount::channel_area,
                                         &HydroMount::channel_length,
                                         &HydroMount::fluid_density,
                                         &HydroMount::fluid_damping_linear,
                                         &HydroMount::fluid_damping_nonlinear,
                                         &HydroMount::decoupler_gradient,
                                         &HydroMount::decoupler_residual_slope,
                                         &HydroMount::pressure_limit_smoothing};
  static constexpr std::array optional_members = {&HydroMount::decoupler_clearance, &HydroMount::pressure_limit,
                                                  &HydroMount::bypass_area, &HydroMount::bypass_threshold};

  T limit(const T& p0) const {
    return pressure_limit ? limited_pressure(p0, *pressure_limit, pressure_limit_smoothing) : p0;
  }
  T limit_slope(const T& p0) const {
    return pressure_limit ? limited_pressure_slope(p0, *pressure_limit, pressure_limit_smoothing) : T(1.0);
  }
  // How the chamber's force answers a jump of its velocity: the damper that bridges the Kelvin-Voigt part.
  T chamber_viscosity(const Memory& memory) const {
    const Elastomer<T>& e = chamber_rubber;
    return memory.chamber_factor * memory.chamber.k * e.scale_freq * e.lambda * e.gamma * e.beta / (1.0 + e.beta);
  }

 private:
  // The bypass lowers the swelling speed, which lowers the pressure of a viscous chamber rubber, which lowers the
  // bypass flow: one monotone equation for p0, solved in double; one Newton step in T then carries the exact
  // derivatives.
  T solve_bypass(const T& chamber_u, const T& slope, const T& inflow, const T* x, const Memory& memory,
                 T& flow_out) const {
    T unused;
    const T elastic = memory.chamber_factor *
                      chamber_rubber.evaluate({chamber_u, T(0.0)}, x + chamber_z, memory.chamber, &unused) /
                      chamber_area;
    const T viscosity = chamber_viscosity(memory) * slope / chamber_area;
    const T closed = elastic + viscosity * inflow;
    const auto q = [&](const T& p0) { return bypass_flow(limit(p0), *bypass_area, *bypass_threshold, fluid_density); };
    const auto residual = [&](const T& p0) { return T(p0 - closed + viscosity * q(p0) / chamber_area); };
    const auto residual_slope = [&](double p0) {
      const T p = T(p0);
      return value_of(T(1.0 + viscosity / chamber_area *
                                  bypass_flow_slope(limit(p), *bypass_area, *bypass_threshold, fluid_density) *
                                  limit_slope(p)));
    };
    double p0 = value_of(closed);
    // The residual is convex beyond the threshold: Newton from the outer end comes down without overshooting.
    for (int i = 0; i < 50; ++i) {
      const double change = value_of(residual(T(p0))) / residual_slope(p0);
      p0 -= change;
      if (std::abs(change) <= 1e-13 * (std::abs(p0) + 1.0)) break;
    }
    const T exact = T(p0) - residual(T(p0)) / residual_slope(p0);
    flow_out = q(exact);
    return limit(exact);
  }
};

}  // namespace kdyn::inline hydromount

#include "kdyn/hydromount/step.hpp"
