// SPDX-License-Identifier: Apache-2.0
// A mount law as one self-contained C99 file: what `kdyn export --to c` writes and what FMUs embed.
//
// Every generated file offers the same small interface, with the chosen prefix P:
//   P_default_parameters(&p)            parameters as exported; plain doubles in SI, free to be changed before P_start
//   P_start(&m, &p, u, v)               at rest at displacement u, with the velocity v suddenly applied
//   P_advance(&m, u, v, h)              accepts the step of length h that ends at u, v and returns the force there
//   P_force(&m, u, v)                   force at a motion; changes nothing, so it may be called in iterations and rejected steps
//   P_evaluate, P_accept                the same for a solver that integrates the states itself
// P_model m is a plain struct without pointers: copying it saves and restores the whole state, friction memory included.
// A bushing's file takes arrays of its axes instead of one u, v and force.
// Force is positive for positive displacement. Step and turning points are treated as in the library, so that results agree to rounding.
//
// The equations are those of the law's header and THEORY.md; here they stand in C because other tools compile it. A test drives both
// sample by sample, so that a change of the law cannot be forgotten here.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn {

struct CSource {
  std::string code;                     // one file that needs no other
  std::string header;                   // its types and functions, for other files that call it (C and C++)
  std::vector<std::string> parameters;  // in the order of P_parameters, or of P_parameter(m, i) for a bushing
};

// `model` is a model file's JSON; throws Error(bad_input) at `where` when it is no valid model.
// `prefix` must be a C identifier.
CSource c_source(const Json& model, const std::string& where, const std::string& prefix);

}  // namespace kdyn
