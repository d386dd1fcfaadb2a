// SPDX-License-Identifier: Apache-2.0
// Six-axis bushing: one mount law per axis (fx fy fz tx ty tz), any of them absent, with a coupling of the translations
// (element/coupling.hpp): none, cylindrical or spherical, and its place (element/bushing_place.hpp) in the axes of
// motion and force.
//
// Coupling acts on the static parts; frequency- and amplitude-dependent parts act along their own axis, because a
// radial displacement that changes sign would tear their memory. Coupled static forces come from a potential only for
// the curves of [element E13]; for other ones the coupling is that of the property files of multibody codes, and a
// closed path may do net work. Rotations are the bushing's three angles (rad); their kinematics belong to the multibody
// model.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "kdyn/element/bushing_place.hpp"
#include "kdyn/element/coupling.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline element {

// From the value of the key "coupling" of a model file; an error names `where`.
Coupling coupling_from_json(const Json& in, const std::string& where);

inline constexpr std::array<const char*, 6> axis_names = {"fx", "fy", "fz", "tx", "ty", "tz"};

class Bushing {
 public:
  using Vector = std::array<double, 6>;  // three displacements and three angles, or three forces and three moments

  Bushing() = default;
  Bushing(const Bushing& other) { *this = other; }
  Bushing& operator=(const Bushing& other);
  Bushing(Bushing&&) = default;
  Bushing& operator=(Bushing&&) = default;

  Coupling coupling = Coupling::none;
  BushingPlace place;
  std::array<std::unique_ptr<Mount>, 6> axes;  // null: the axis carries no force

  // As for a Mount: at rest at `u` with velocity `v` suddenly applied, then accepted steps.
  void start(const Vector& u, const Vector& v = {});
  Vector advance(const Vector& u, const Vector& v, double h);
  void change_velocity(const Vector& v);  // a jump at this instant
  Vector peek(const Vector& u, const Vector& v) const;
  Vector static_force(const Vector& u) const;

 private:
  Vector inside(const Vector& motion) const;
  Vector outside(Vector force, const Vector& own) const;  // with coupling
};

}  // namespace kdyn::inline element
