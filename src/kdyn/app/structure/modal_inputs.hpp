// SPDX-License-Identifier: Apache-2.0
// Files of a modal test as inputs of operations: signals, frequency responses, modes, geometry and FE models, whatever
// format they are in.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::app {

struct ModalInputs {
  Geometry geometry;              // of whichever file had one
  std::vector<Finding> findings;  // of the readers
  std::vector<Source> inputs;     // for the provenance
};

std::vector<SignalSet> read_signals(const std::vector<std::string>& paths, ModalInputs& all);
// Channels of several files side by side; their lines must agree.
FrequencyResponse read_responses(const std::vector<std::string>& paths, ModalInputs& all);
// Universal file, HDF5 store, or the result.json of kdyn modal. Degrees of freedom that never move were not measured
// and are left out.
ModeSet read_modes(const std::string& path, ModalInputs& all);
void read_geometry(const std::string& path, ModalInputs& all);

}  // namespace kdyn::app
