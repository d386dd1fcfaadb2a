// SPDX-License-Identifier: Apache-2.0
// The gate of fit_gate.hpp for identifications whose intervals hold the error of the model: they are kept.
#pragma once

#include "kdyn/numerics/fit_gate.hpp"

namespace kdyn::inline numerics {

// Finding, status and reason as apply_gate() gives them.
void apply_gate_to_widened(const GateVerdict& verdict, const std::string& physics, std::string& status,
                           std::string& reason, std::vector<Finding>& findings);

}  // namespace kdyn::inline numerics
