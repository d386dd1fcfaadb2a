// SPDX-License-Identifier: Apache-2.0
// Frequency responses of the active mount in closed form: the linear model (dKq = 0) with clamped chassis.
//
//   [activemount E9]   P_xx = Fx/XT = -CT - AT^2/S            P_yx = Fy/XT = CT + (AT^2 - mA AA AT s^2/CA)/S
//   [activemount E10]  S_x = Fx/U = kM AA AT/(CA (R+Ls) S)     S_y = Fy/U = -kM (AA AT + mA s^2 (AB^2/CB + AK^2/CK))/(CA (R+Ls) S)
//   with S = AB^2/CB + AK^2/CK + AA^2/CA,  CK = s (mK s + dK),  CA = mA s^2 + (dA + kM^2/(R+Ls)) s + cA
//
// P in N/m, S in N/V. With T = Jet the same formulas give the derivatives that identification needs.
// They are a second form of what linearising ActiveMount::respond gives; tests hold the two together.
#pragma once

#include <array>
#include <numbers>

#include "kdyn/activemount/active_mount.hpp"

namespace kdyn::inline activemount {

enum class ActivePath { P_xx, P_yx, S_x, S_y };
inline constexpr std::array<ActivePath, 4> active_paths = {ActivePath::P_xx, ActivePath::P_yx, ActivePath::S_x,
                                                           ActivePath::S_y};
inline const char* to_string(ActivePath path) {
  constexpr std::array names = {"P_xx", "P_yx", "S_x", "S_y"};
  return names[static_cast<std::size_t>(path)];
}
inline bool is_passive(ActivePath path) { return path == ActivePath::P_xx || path == ActivePath::P_yx; }

// The operators at s = i omega, omega in rad/s.
template <class T>
struct ActiveOperators {
  using C = Complex<T>;
  C s, coil, CT, CB, CK, CA;
  C walls, sum;  // AB^2/CB + AK^2/CK, and S of [activemount E9]

  ActiveOperators(const ActiveMount<T>& m, double omega) : s{T(0.0), T(omega)}, coil{m.R, omega * m.L} {
    CT = rubber(m.cT1, m.cT2, m.dT1, m.dT2);
    CB = rubber(m.cB1, m.cB2, m.dB1, m.dB2);
    CK = s * C{m.dK, omega * m.mK()};
    CA = C{m.cA - omega * omega * m.mA, omega * m.dA};
    if (m.back_emf) CA = CA + s * (C{m.kM * m.kM, T(0.0)} / coil);
    walls = real(m.AB * m.AB) / CB + real(m.AK * m.AK) / CK;
    sum = walls + real(m.AA * m.AA) / CA;
  }

  static C real(const T& value) { return {value, T(0.0)}; }

 private:
  // [activemount E1]
  C rubber(const T& c1, const T& c2, const T& d1, const T& d2) const {
    return real(c1) + s * (real(d1) * (real(c2) + d2 * s)) / (real(c2) + T(d1 + d2) * s);
  }
};

// All four responses of one frequency, in the order of active_paths.
template <class T>
std::array<Complex<T>, 4> active_responses(const ActiveMount<T>& m, double frequency_hz) {
  const ActiveOperators<T> o(m, 2.0 * std::numbers::pi * frequency_hz);
  using C = Complex<T>;
  const auto real = ActiveOperators<T>::real;
  const C mass = m.mA * (o.s * o.s);                     // mA s^2
  const C drive = real(m.kM) / (o.CA * o.coil * o.sum);  // kM/(CA (R+Ls) S)
  const C P_xx = C{} - o.CT - real(m.AT * m.AT) / o.sum;
  const C P_yx = o.CT + (real(m.AT * m.AT) - T(m.AA * m.AT) * (mass / o.CA)) / o.sum;
  const C S_x = T(m.AA * m.AT) * drive;
  const C S_y = C{} - drive * (real(m.AA * m.AT) + mass * o.walls);
  return {P_xx, P_yx, S_x, S_y};
}

}  // namespace kdyn::inline activemount
