// SPDX-License-Identifier: Apache-2.0
// What FMUs of mounts and of systems ask of their options.
#pragma once

#include "kdyn/fmu/fmu.hpp"

namespace kdyn::inline fmu::internal {

// Throws Error(bad_input) when the version is not known or the name is no C identifier.
void check_options(const FmuOptions& options);
std::string date_of(const FmuOptions& options);

}  // namespace kdyn::inline fmu::internal
