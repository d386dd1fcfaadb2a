// SPDX-License-Identifier: Apache-2.0
// Active engine mount: main rubber spring, fluid chamber with bulging wall, inertia track, and a moving-coil actuator
// behind a diaphragm.
//
//   [activemount E1]  C(s) = c1 + s d1 (c2 + s d2)/(c2 + s (d1 + d2))        main rubber T and bulge B, one state z each
//   [activemount E2]  AB xB = AT xT - AA xA - AK xK,   p = -fB/AB             incompressible fluid
//   [activemount E3]  mK vK' = -p AK - dK vK - dKq |vK| vK,  mK = rho AK lK   inertia track
//   [activemount E4]  mA vA' = kM i - p AA - dA vA - cA xA                    actuator mass on its diaphragm
//   [activemount E5]  L i' = U - R i - kM vA                                  coil
//   [activemount E6]  fx = -fT + p AT,   fy = fT - p AT - mA vA'              forces on engine and on chassis
//
// States x = [xA, vA, xK, vK, i, zB, zT]. Displacements and forces are positive upward, p is over-pressure; xA, xK, xB
// are positive into the chamber. The chassis side is clamped. As an Element (voltage zero unless it is set) the force
// is fy: positive for positive displacement, as P_yx. Fluid displacements count from the position where the mount was
// started, because fluid at rest has no pressure.
//
// Units SI. Range: small amplitudes, the published mount was measured to 150 Hz (passive) and 400 Hz (active).
// Source: Hausberg et al., JSV 340 (2015) 22-38; printed equations 3, 5-7, 17, 18 and 41 are corrected (THEORY.md).
// Not modelled: amplitude dependence of the main rubber; lower chamber stiffness; motion of the chassis side.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline activemount {

// One line per parameter: the only place that names units, bounds and meanings. The names are those of the paper.
inline constexpr std::array<ParameterInfo, 22> active_mount_parameters = {{
    {"cT1", "N/m", 0.0, true, 1e12, "Main rubber: static stiffness"},
    {"cT2", "N/m", 0.0, true, 1e12, "Main rubber: stiffness of the relaxing part"},
    {"dT1", "N*s/m", 0.0, false, 1e12, "Main rubber: damper in series with the relaxing part"},
    {"dT2", "N*s/m", 0.0, false, 1e12, "Main rubber: damper beside the relaxing spring"},
    {"cB1", "N/m", 0.0, true, 1e12, "Bulge of the chamber wall: static stiffness"},
    {"cB2", "N/m", 0.0, true, 1e12, "Bulge: stiffness of the relaxing part"},
    {"dB1", "N*s/m", 0.0, false, 1e12, "Bulge: damper in series with the relaxing part"},
    {"dB2", "N*s/m", 0.0, false, 1e12, "Bulge: damper beside the relaxing spring"},
    {"AT", "m^2", 0.0, true, 1e12, "Equivalent piston area of the main rubber"},
    {"AB", "m^2", 0.0, true, 1e12, "Equivalent area of the bulge"},
    {"AA", "m^2", 0.0, true, 1e12, "Area of the actuator's diaphragm"},
    {"AK", "m^2", 0.0, true, 1e12, "Cross section of the inertia track"},
    {"lK", "m", 0.0, true, 1e12, "Length of the inertia track"},
    {"dK", "N*s/m", 0.0, false, 1e12, "Linear damping of the flow in the track"},
    {"rho", "kg/m^3", 0.0, true, 1e12, "Density of the fluid"},
    {"cA", "N/m", 0.0, true, 1e12, "Stiffness of the actuator's diaphragm"},
    {"dA", "N*s/m", 0.0, false, 1e12, "Damping of the actuator's diaphragm"},
    {"mA", "kg", 0.0, true, 1e12, "Moving mass of the actuator"},
    {"R", "Ohm", 0.0, true, 1e12, "Resistance of the coil"},
    {"L", "H", 0.0, true, 1e12, "Inductance of the coil"},
    {"kM", "N/A", 0.0, false, 1e12, "Force constant of the coil"},
    {"dKq", "N*s^2/m^2", 0.0, false, 1e12, "Quadratic damping of the flow in the track"},
}};

// Forces on the engine side (x) and on the chassis side (y), N.
template <class T>
struct ActiveForces {
  T x, y;
};

template <class T>
struct ActiveMount {
  using Scalar = T;
  template <class U>
  using Rebind = ActiveMount<U>;
  enum State { xA_state, vA_state, xK_state, vK_state, i_state, zB_state, zT_state };
  static constexpr const char* model = "activemount";
  static constexpr const char* title = "Active engine mount";
  static constexpr int state_count = 7;
  static constexpr std::array<SignalName, 7> state_signals = {{
      {"xA", "m", "Displacement of the actuator"},
      {"vA", "m/s", "Velocity of the actuator"},
      {"xK", "m", "Displacement of the fluid in the track"},
      {"vK", "m/s", "Velocity of the fluid in the track"},
      {"i", "A", "Current of the coil"},
      {"zB", "m", "Relaxing part of the bulge"},
      {"zT", "m", "Relaxing part of the main rubber"},
  }};

  // Defaults are the published mount at 20 C and -1400 N (Table 1).
  T cT1{418.1e3}, cT2{48.1e3}, dT1{268.7}, dT2{11.1};
  T cB1{180.4e3}, cB2{272.9e3}, dB1{1525.7}, dB2{62.9};
  T AT{3872.4e-6}, AB{2362.2e-6}, AA{1683.9e-6}, AK{92.5e-6}, lK{0.3288};
  T dK{0.4}, rho{1000.0};
  T cA{53.5e3}, dA{19.5}, mA{0.1058};
  T R{3.7}, L{3.5e-3}, kM{14.0};
  T dKq{0.0};
  bool back_emf = true;  // false: the coil's motion induces no voltage, as the undamped textbook model assumes

  struct Memory {
    T origin{0.0};   // displacement at which the fluid was at rest
    T voltage{0.0};  // of the coil, held until it is set again
  };
  template <class F>
  static void visit_memory(Memory& memory, F&& f) {
    f(memory.origin);
    f(memory.voltage);
  }
  template <class U>
  static typename ActiveMount<U>::Memory cast_memory(const Memory& memory) {
    return {U(value_of(memory.origin)), U(value_of(memory.voltage))};
  }
  template <class Archive>
  static void archive_memory(Memory& memory, Archive& archive) {
    visit_memory(memory, archive);
  }

  // What acts from outside, and what sensors would show  [activemount E2] [activemount E6].
  static constexpr std::array<InputName, 1> input_signals = {{{"voltage", "V", "Voltage of the coil", 0.0, -1e6, 1e6}}};
  template <class V>
  void set_input(Memory& memory, std::size_t, const V& value) const {
    memory.voltage = T(value);
  }
  double input_value(const Memory& memory, std::size_t) const { return value_of(memory.voltage); }
  static constexpr std::array<SignalName, 2> output_signals = {
      {{"engine_force", "N", "Force on the engine"}, {"pressure", "Pa", "Over-pressure in the chamber"}}};
  std::array<T, 2> outputs(const Motion<T>& at, const T* x, const Memory& memory) const {
    std::array<T, state_count> rate;
    const ActiveForces<T> f = respond(at, memory.voltage, x, memory, rate.data());
    const T fT = cT1 * at.u + dT1 * (at.v - rate[zT_state]);
    return {f.x, T((f.x + fT) / AT)};
  }

  template <class Archive>
  void settings(Archive& archive) {
    archive.whole(back_emf);
  }
  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) {
    return parameter_named(active_mount_parameters, name);
  }

  T mK() const { return rho * AK * lK; }

  T static_force(const T& u) const { return cT1 * u; }
  Memory start(const T& u) const { return {u, T(0.0)}; }

  // All seven rates and both forces at a motion of the engine side and a voltage; pure.  [activemount E1]..[activemount
  // E6]
  ActiveForces<T> respond(const Motion<T>& at, const T& voltage, const T* x, const Memory& memory, T* rate) const {
    const T xT = at.u - memory.origin;
    const T xB = (AT * xT - AA * x[xA_state] - AK * x[xK_state]) / AB;
    const T vB = (AT * at.v - AA * x[vA_state] - AK * x[vK_state]) / AB;
    rate[zB_state] = relaxation_rate(dB1, dB2, cB2, vB, x[zB_state]);
    rate[zT_state] = relaxation_rate(dT1, dT2, cT2, at.v, x[zT_state]);
    const T p = -(cB1 * xB + dB1 * (vB - rate[zB_state])) / AB;
    const T vK = x[vK_state];
    const T quadratic = value_of(vK) < 0.0 ? T(-dKq * vK * vK) : T(dKq * vK * vK);
    rate[xA_state] = x[vA_state];
    rate[xK_state] = vK;
    rate[vK_state] = -(p * AK + dK * vK + quadratic) / mK();
    const T inertia = kM * x[i_state] - p * AA - dA * x[vA_state] - cA * x[xA_state];  // mA vA'
    rate[vA_state] = inertia / mA;
    rate[i_state] = (voltage - R * x[i_state] - (back_emf ? T(kM * x[vA_state]) : T(0.0))) / L;
    const T fT = cT1 * at.u + dT1 * (at.v - rate[zT_state]);
    return {-fT + p * AT, fT - p * AT - inertia};
  }

  // The force is the one on the chassis; without a voltage from outside the coil is short-circuited.
  T evaluate(const Motion<T>& at, const T* x, const Memory& memory, T* rate) const {
    return respond(at, memory.voltage, x, memory, rate).y;
  }

  // Runge-Kutta of fourth order in steps that follow the fastest rate of the mount  [activemount E7].
  ActiveForces<T> integrate(T* x, const Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& voltage,
                            const T& h) const {
    const double speed = fastest_rate() + 2.0 * value_of(dKq) * std::abs(value_of(x[vK_state])) / value_of(mK());
    const int parts = std::max(1, static_cast<int>(std::ceil(speed * value_of(h) / step_angle)));
    const StepVelocity<T> velocity(from, to, h);
    const auto motion = [&](double s) {
      return Motion<T>{T(from.u + h * velocity.travelled(s)), T(velocity.c0 + s * (velocity.c1 + s * velocity.c2))};
    };
    using Vector = std::array<T, state_count>;
    const auto rate_at = [&](double s, const Vector& y) {
      Vector rate;
      respond(motion(s), voltage, y.data(), memory, rate.data());
      return rate;
    };
    const auto along = [](const Vector& y, const T& step, const Vector& rate) {
      Vector moved;
      for (std::size_t j = 0; j < y.size(); ++j) moved[j] = y[j] + step * rate[j];
      return moved;
    };
    const T dt = h / static_cast<double>(parts);
    Vector y;
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = x[j];
    for (int part = 0; part < parts; ++part) {
      const double s0 = static_cast<double>(part) / parts, sm = (part + 0.5) / parts, s1 = (part + 1.0) / parts;
      const Vector k1 = rate_at(s0, y), k2 = rate_at(sm, along(y, T(0.5 * dt), k1)),
                   k3 = rate_at(sm, along(y, T(0.5 * dt), k2)), k4 = rate_at(s1, along(y, dt, k3));
      for (std::size_t j = 0; j < y.size(); ++j) y[j] += dt / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
    }
    Vector rate;
    for (std::size_t j = 0; j < y.size(); ++j) x[j] = y[j];
    return respond(to, voltage, x, memory, rate.data());
  }

  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}  // friction remembers nothing here
  struct Step {
    T h{0.0};
  };
  Step prepare_step(const T& h) const { return {h}; }
  T advance(T* x, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    return integrate(x, memory, from, to, memory.voltage, step.h).y;
  }

  // Springs, moving masses and the coil's field; J  [activemount E8]. Named apart from the Element's stored_energy: the
  // Element's force acts on the chassis, the work is done on the engine side, and the actuator's inertia between them
  // would not balance.
  T energy_behind_engine_side(const T& u, const T* x, const Memory& memory) const {
    const T xB = (AT * (u - memory.origin) - AA * x[xA_state] - AK * x[xK_state]) / AB;
    return 0.5 * (cT1 * u * u + cB1 * xB * xB + relaxation_energy(dT1, cT2, x[zT_state]) +
                  relaxation_energy(dB1, cB2, x[zB_state]) + cA * x[xA_state] * x[xA_state] +
                  mA * x[vA_state] * x[vA_state] + mK() * x[vK_state] * x[vK_state] + L * x[i_state] * x[i_state]);
  }
  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(active_mount_parameters[i].name, this->*members[i]);
  }

  template <class U>
  ActiveMount<U> cast() const {
    ActiveMount<U> other;
    for (std::size_t i = 0; i < members.size(); ++i) other.*ActiveMount<U>::members[i] = U(value_of(this->*members[i]));
    other.back_emf = back_emf;
    return other;
  }

  // In the order of active_mount_parameters.
  static constexpr std::array members = {
      &ActiveMount::cT1, &ActiveMount::cT2, &ActiveMount::dT1, &ActiveMount::dT2, &ActiveMount::cB1, &ActiveMount::cB2,
      &ActiveMount::dB1, &ActiveMount::dB2, &ActiveMount::AT,  &ActiveMount::AB,  &ActiveMount::AA,  &ActiveMount::AK,
      &ActiveMount::lK,  &ActiveMount::dK,  &ActiveMount::rho, &ActiveMount::cA,  &ActiveMount::dA,  &ActiveMount::mA,
      &ActiveMount::R,   &ActiveMount::L,   &ActiveMount::kM,  &ActiveMount::dKq};

  // Upper bound of the modulus of the mount's poles, rad/s: stiffest springs on the lightest masses, all dampers, and
  // the coil.
  double fastest_rate() const {
    const auto v = [](const T& t) { return value_of(t); };
    const double bulge = (v(cB1) + v(cB2)) / (v(AB) * v(AB)),
                 friction = (v(dB1) > 0.0 ? v(dB1) * v(dB2) / (v(dB1) + v(dB2)) : 0.0) / (v(AB) * v(AB));
    const double actuator = std::sqrt((v(cA) + v(AA) * v(AA) * bulge + v(kM) * v(kM) / v(L)) / v(mA)) +
                            (v(dA) + friction * v(AA) * v(AA)) / v(mA);
    const double fluid = std::sqrt(v(AK) * v(AK) * bulge / v(mK())) + (v(dK) + friction * v(AK) * v(AK)) / v(mK());
    const double relaxing = (v(dB1) + v(dB2) > 0.0 ? v(cB2) / (v(dB1) + v(dB2)) : 0.0) +
                            (v(dT1) + v(dT2) > 0.0 ? v(cT2) / (v(dT1) + v(dT2)) : 0.0);
    return actuator + fluid + relaxing + v(R) / v(L);
  }

 private:
  static constexpr double step_angle = 0.1;  // rad: a Runge-Kutta step then errs by 0.1^5/120 = 1e-7 of a mode

  // [activemount E1] z' of the relaxing part; without dampers it does not move and carries no force.
  static T relaxation_rate(const T& d1, const T& d2, const T& c2, const T& v, const T& z) {
    if (!(value_of(d1) > 0.0)) return T(0.0);
    return (d1 * v - c2 * z) / (d1 + d2);
  }
  static T relaxation_energy(const T& d1, const T& c2, const T& z) {
    return value_of(d1) > 0.0 ? T(c2 * z * z) : T(0.0);
  }
};

}  // namespace kdyn::inline activemount
