// SPDX-License-Identifier: Apache-2.0
// The laws as C templates. One text per law gives the plain C file and the one that carries exact derivatives.
//
// A template is C99 with a few words of its own:
//   @P@                    prefix of the law's names; @F@ prefix of what a file holds once (helpers)
//   real                   double, or `double complex` whose imaginary part is a derivative times a tiny number (a dual number with C's own
//                          operators: the product of two imaginary parts vanishes below rounding, so derivatives are exact to rounding)
//   value_of(x)            the plain number inside, on which alone decisions depend
//   r_exp(x) r_log1p(x) …  functions of a real
// Interface of every law, where x are its states:
//   P_parameters, P_model                   plain structs of doubles alone; P_model holds p, u, v, x, memory and input[]
//   P_default_parameters(p)                 P_start(m, p, u, v)                 P_retune(m) after a change of m->p
//   P_force(m, u, v)                        P_advance(m, u, v, h)               one accepted step, states by the law's own method
//   P_evaluate(m, u, v, x, rate)            P_accept(m, u, v, x, h)             the same with an integrator outside
//   P_static_force(p, u)                    P_inside(m, u, v, x, signals)       P_turning(m, u, v, x, z), zero where memory turns round
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::internal {

struct CVariable {
  std::string name, unit, meaning;
  double start = 0.0;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;
  std::string member = {};  // in P_parameters, where it is not the name: stiffness[0]
};

struct CLaw {
  std::string title;  // "Elastomer mount"
  std::string text;   // template, parameter declarations filled in
  std::vector<CVariable> parameters, states, signals, inputs;
  std::vector<CVariable> turning;    // event indicators of an integrator outside
  std::vector<const char*> helpers;  // what the text uses of the below, in their order
};

// By the name in "model"; a bushing is none (c_unit.hpp).
CLaw c_law(const Json& model, const std::string& where);

CLaw elastomer_c(const Json& model, const std::string& where);
CLaw hydromount_c(const Json& model, const std::string& where);
CLaw activemount_c(const Json& model, const std::string& where);
CLaw kelvin_voigt_c(const Json& model, const std::string& where);
CLaw maxwell_c(const Json& model, const std::string& where);
CLaw berg_c(const Json& model, const std::string& where);
CLaw bouc_wen_c(const Json& model, const std::string& where);
CLaw fractional_zener_c(const Json& model, const std::string& where);

// The parameters as members of a struct and as assignments of their start values, under the keys DECLARATIONS and DEFAULTS.
void fill_parameters(CLaw& law);
// A field of a table as a variable with this value.
CVariable parameter_of(const FieldTable& table, const std::string& name, double value);

// Texts that a file holds once: motion inside a step, exact step of a relaxing state, function
// known by value and slope, table read by straight lines.
extern const char* const c_path;
extern const char* const c_turns;
extern const char* const c_travelled;
extern const char* const c_relaxation;
extern const char* const c_chain;
extern const char* const c_table;
// Dual numbers: what the C library does not offer for `double complex`.
extern const char* const c_dual_functions;

enum class CScalar { plain, dual };
// Template to C.
std::string instantiate(const std::string& text, const std::string& prefix, const std::string& file_prefix, CScalar scalar);

// A double as C text that gives back every bit.
std::string c_number(double value);
// {{x, y}, ...} as the rows of a C array.
std::string c_rows(const Curve& points);
// Replaces every @KEY@ of the list; others stay.
void fill(std::string& text, const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace kdyn::internal
