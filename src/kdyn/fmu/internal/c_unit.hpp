// SPDX-License-Identifier: Apache-2.0
// A mount or a bushing as one C unit with arrays over its axes: what the FMI layers call, and the C file of a bushing.
//
//   U_AXES U_STATES U_PARAMETERS U_SIGNALS U_INPUTS U_TURNING      counts; U_ROOM: length that any array of values needs
//   U_parameter(m, i)                        address of a parameter; U_retune(m) after changes
//   U_defaults(m)   U_start(m, u, v)         U_set_input(m, i, value)
//   U_states(m, x)  U_set_states(m, x)
//   U_force(m, u, v, force)                  U_advance(m, u, v, h, force)
//   U_evaluate(m, u, v, x, force, rate)      U_accept(m, u, v, x, h)
//   U_inside(m, u, v, x, signals)            U_turning(m, u, v, x, z)
#pragma once

#include <string>
#include <vector>

#include "kdyn/fmu/internal/c_laws.hpp"

namespace kdyn::internal {

struct CAxis {
  std::string name;     // "fz"; empty for a mount
  bool present = true;  // a bushing has six axes; an absent one carries no force
  CLaw law;
};

struct CUnit {
  std::string title;
  std::vector<CAxis> axes;
  // Of all axes in order; names of a bushing's start with their axis: fz.static_stiffness.
  std::vector<CVariable> parameters, states, signals, inputs, turning;
  std::string coupling;  // none, cylindrical, spherical

  // Laws and unit as C; `prefix` is U.
  std::string code(const std::string& prefix, CScalar scalar) const;
};

// N/m -> N*m/rad and the like: units of an axis that turns.
std::string angular_unit(const std::string& unit);

CUnit c_unit(const Json& model, const std::string& where);
// The helpers that laws use.
std::string c_helper_text(const std::vector<CAxis>& axes, const std::string& prefix, CScalar scalar);

}  // namespace kdyn::internal
