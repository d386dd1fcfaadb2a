// SPDX-License-Identifier: Apache-2.0
// The signals of one run of a modal test, sorted into forces and responses.
#pragma once

#include <string>
#include <vector>

#include "kdyn/signal/frf.hpp"

namespace kdyn::inline signal::internal {

struct FrfRecord {
  std::vector<const Signal*> inputs, outputs;
  double step = 0.0;
  std::size_t samples = 0;
  std::string where;
};

// Ambient excitation has no force: `inputs` are then the references that the options name, which are outputs too, and
// may be none. Throws Error(bad_input) when steps differ, values are not finite, or a side is missing.
FrfRecord sort_signals(const SignalSet& set, const FrfOptions& options);

// The commonest fault of modal tests: coherence stays near 1, and damping comes out wrong by tens of percent.
void note_clipping(const Signal& signal, const FrfRecord& record, std::vector<Finding>& findings);

// Every other fault of a channel: dead, hanging, jumping samples.
void note_faults(const Signal& signal, const FrfRecord& record, std::vector<Finding>& findings);

}  // namespace kdyn::inline signal::internal
