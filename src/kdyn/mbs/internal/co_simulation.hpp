// SPDX-License-Identifier: Apache-2.0
// An FMU for co-simulation (FMI 2.0 or 3.0, Linux) as a controller: it steps by itself between communication points
// [mbs E97].
//
//   "fmu": {"file": "ecu.fmu", "parameters": {"gain": 2}, "variables": {"speed": "plant.v"}, "inputs": "begin", "outputs": "held"}
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/control_unit.hpp"

namespace kdyn::mbs::internal {

// The FMU that `in` names is loaded, which runs its code. Its variables are those of the names of inputs and outputs;
// all must be real numbers in SI units. The units of outputs are put into `output_units` where they are "-".
std::shared_ptr<ControlUnit> co_simulation_from_json(const Json& in, const std::string& where, const std::string& path,
                                                     const std::vector<std::string>& inputs,
                                                     const std::vector<std::string>& outputs,
                                                     std::vector<std::string>& output_units);

}  // namespace kdyn::mbs::internal
