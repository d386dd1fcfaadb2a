// SPDX-License-Identifier: Apache-2.0
// The C layers of an FMU above the unit of internal/c_unit.hpp. Key @U@ is the unit's prefix, @TOKEN@ the FMU's identification.
#pragma once

namespace kdyn::internal {

// What both versions of the standard share: variables by value reference, modes, steps, states, derivatives.
extern const char* const fmi_core_text;
// Functions that both versions have under the same names.
extern const char* const fmi_common_text;
// Declarations of FMI 2.0.4 and FMI 3.0 as the standard prescribes them, and the functions.
extern const char* const fmi2_header;
extern const char* const fmi2_text;
extern const char* const fmi3_header;
extern const char* const fmi3_text;

}  // namespace kdyn::internal
