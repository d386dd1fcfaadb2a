// SPDX-License-Identifier: Apache-2.0
// A mount or a bushing as source for other programs: a C header and one C++17 file made of kdyn's own headers (`kdyn
// export --to c`).
//
// With the chosen prefix P the header offers
//   P_new, P_delete, P_copy             a model with the exported parameters; copying saves and restores everything, friction memory included
//   P_parameter, P_set_parameter        parameters by number; names, units and bounds by P_parameter_name and so on
//   P_start(m, u, v)                    at rest at displacement u, with the velocity v suddenly applied
//   P_advance(m, u, v, h)               accepts the step of length h that ends at u, v and gives the force there
//   P_force(m, u, v)                    force at a motion; changes nothing, so it may be called in iterations and rejected steps
//   P_evaluate, P_accept                the same for a solver that integrates the states itself
//   P_derivative                        exact derivatives of the force by motion and parameters
// A bushing's functions take arrays of its six axes instead of one u, v and force.
// Stepping uses no exceptions, no run-time type information, and no heap up to 1024 nested turning points.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::inline fmu {

struct CSource {
  std::string code;                     // C++17, one file that needs nothing but the standard library and the header
  std::string header;                   // C and C++
  std::vector<std::string> parameters;  // in the order of P_parameter
};

// `model` is a model file's JSON; throws Error(bad_input) at `where` when it is no valid model.
// `prefix` must be a C identifier.
CSource c_source(const Json& model, const std::string& where, const std::string& prefix);

// A list of numbers as the rows of a C array; every bit comes back.
std::string c_numbers(const std::vector<double>& numbers);

}  // namespace kdyn::inline fmu
