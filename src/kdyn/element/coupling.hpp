// SPDX-License-Identifier: Apache-2.0
// Coupling of the static forces of a bushing's translations, in any scalar: the only place where the formula stands.
// Bushing (run-time mounts), multibody models (exact derivatives) and exported models use it.
//
//   [element E10] none         each axis by itself
//   [element E11] cylindrical  F_x = (|x|/r) g_x(sign(x) r), r = sqrt(x^2 + y^2), likewise F_y;  g(u) = G(u) - G(0), G the static force of the axis
//   [element E12] spherical    the same for x, y and z with r = sqrt(x^2 + y^2 + z^2)
//
// Written as x g(rho)/rho with rho = sign(x) r, the share is smooth where x passes zero; with x = y = 0 the slope is
// that of the curve at zero. A curve that is not odd has a kink at x = 0 while y is not zero: derivatives there are
// those of the side x > 0. A potential exists when the coupled curves are odd and differ by no more than a straight
// line  [element E13].
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline element {

enum class Coupling { none, cylindrical, spherical };
inline constexpr std::array<const char*, 3> coupling_names = {"none", "cylindrical", "spherical"};

// How many of x, y, z are coupled.
constexpr std::size_t coupled_axes(Coupling coupling) {
  return coupling == Coupling::none ? 0 : coupling == Coupling::cylindrical ? 2 : 3;
}

// What coupling adds to the forces that the laws of x, y, z give by themselves at the displacements u[0..2]; zero for
// axes that are not coupled. `static_force(axis, u)` is the static force of an axis as a T, zero for an axis without
// law. The result is linear in these forces: with their derivative by a parameter in place of them it is the derivative
// by that parameter.
template <class T, class StaticForce>
std::array<T, 3> coupling_force(Coupling coupling, const T* u, StaticForce&& static_force) {
  using std::sqrt;
  std::array<T, 3> added = {T(0.0), T(0.0), T(0.0)};
  const std::size_t count = coupled_axes(coupling);
  T square(0.0);
  for (std::size_t i = 0; i < count; ++i) square += u[i] * u[i];
  // Below a picometre the slopes are those at zero: what coupling adds there is less than the rounding of a curve's
  // offset over r.
  constexpr double smallest = 1e-12;
  if (!(value_of(square) > smallest * smallest)) return added;
  const T r = sqrt(square);
  for (std::size_t i = 0; i < count; ++i) {
    // The offset G(0) of a curve stays on its axis.
    const T zero = static_force(i, T(0.0)), rho = value_of(u[i]) < 0.0 ? T(-r) : r;
    added[i] = u[i] * ((static_force(i, rho) - zero) / rho) - (static_force(i, u[i]) - zero);
  }
  return added;
}

}  // namespace kdyn::inline element
