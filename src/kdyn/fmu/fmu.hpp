// SPDX-License-Identifier: Apache-2.0
// A mount or a bushing as a functional mock-up unit: FMI 2.0 or 3.0, model exchange and co-simulation in one archive.
//
// The binary in the archive is kdyn's own laws, compiled when kdyn was built (fmu/runtime); export writes the model's
// numbers into it. No compiler is needed, and no law exists a second time.
//
// Inputs are displacement and velocity (and what the law takes from outside: coupling, voltage), the output is the
// force; parameters are tunable within the bounds of their field tables; states, their derivatives and signals inside
// are readable. Names are those of model files.
//   co-simulation    inputs are those at the beginning of a step, as tools give them; how the step's end is found: runtime/core.hpp. With the
//                    parameter inputs_at_end_of_step they are those at its end. The method of the step is the law's own, as in kdyn simulate
//   model exchange   evaluation leaves no trace; friction remembers in completedIntegratorStep alone. Event indicators are the velocities
//                    whose zeros are turning points
// The state, friction memory included, can be saved, restored and serialised. Directional derivatives are exact (dual
// numbers). Not offered: input derivatives above the second order, output derivatives, intermediate update, scheduled
// execution.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::inline fmu {

struct FmuOptions {
  int version = 2;             // of the standard: 2 or 3
  std::string name = "mount";  // model name and identifier: a C identifier
  std::string author = {}, model_version = {},
              license = {};  // for the description; without a licence that of the runtime is named
  // Of generation, as 2026-01-31T12:00:00Z. Empty: the environment's SOURCE_DATE_EPOCH, else now.
  std::string date = {};
};

// A line of the description, for people.
struct FmuVariableInfo {
  std::string name, kind, unit, meaning;  // kind: causality in the words of the standard
  std::string start;                      // empty: computed
};

struct Fmu {
  std::vector<std::pair<std::string, std::string>> entries;  // path in the archive, content
  std::string archive;                                       // the .fmu file
  std::vector<std::string> platforms;                        // folders of its binaries
  std::vector<FmuVariableInfo> variables;

  const std::string& entry(const std::string& path) const;  // throws when there is none
};

// `model` is a model file's JSON; throws Error(bad_input) at `where` when it is no valid model.
Fmu make_fmu(const Json& model, const std::string& where, const FmuOptions& options);

// The model file inside an FMU of kdyn; throws Error(bad_input) at `where` when the bytes are no such archive.
std::string model_in_fmu(const std::string& archive, const std::string& where);

}  // namespace kdyn::inline fmu
