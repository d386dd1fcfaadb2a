// SPDX-License-Identifier: Apache-2.0
// A mount or a bushing as a functional mock-up unit: FMI 2.0 or 3.0, model exchange and co-simulation in one archive.
//
// Inputs are displacement and velocity (and what the law takes from outside: coupling, voltage), the output is the force; parameters are
// tunable within the bounds of their field tables; states, their derivatives and signals inside are readable. Names are those of model files.
//   co-simulation    a step ends at the motion the inputs say; with first derivatives of the inputs (FMI 2.0), or with the Boolean parameter
//                    extrapolate_inputs, at the motion they lead to. The method of the step is the law's own, as in kdyn simulate
//   model exchange   evaluation leaves no trace; friction remembers in completedIntegratorStep alone. Event indicators are the velocities
//                    whose zeros are turning points
// The state, friction memory included, can be saved, restored and serialised. Directional derivatives are exact (dual numbers).
// Sources are inside; a binary for this machine is added when a C compiler is at hand, others by their compilers.
// Not offered: input derivatives of higher order, output derivatives, intermediate update, scheduled execution.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn {

struct FmuOptions {
  int version = 2;             // of the standard: 2 or 3
  std::string name = "mount";  // model name and identifier: a C identifier
  // One binary each, for the machine the compiler makes programs for (x86_64-w64-mingw32-gcc: Windows). Empty: cc, gcc or clang, whichever
  // is found; {"none"}: sources only.
  std::vector<std::string> compilers = {};
};

// A line of the description, for people.
struct FmuVariableInfo {
  std::string name, kind, unit, meaning;  // kind: causality in the words of the standard
  std::string start;                      // empty: computed
};

struct FmuBinary {
  std::string platform, compiler;  // folder in the archive, command that made it
};

struct Fmu {
  std::vector<std::pair<std::string, std::string>> entries;  // path in the archive, content
  std::string archive;                                       // the .fmu file
  std::vector<FmuBinary> binaries;                           // none: sources only
  std::vector<std::string> missing;                          // for the user: why a binary that was wanted is not there
  std::vector<FmuVariableInfo> variables;

  const std::string& entry(const std::string& path) const;  // throws when there is none
};

// `model` is a model file's JSON; throws Error(bad_input) at `where` when it is no valid model.
Fmu make_fmu(const Json& model, const std::string& where, const FmuOptions& options);

}  // namespace kdyn
