// SPDX-License-Identifier: Apache-2.0
// FMI 2.0 over the laws of kdyn.
#include "kdyn/fmu/runtime/core.hpp"
#include "kdyn/fmu/runtime/model.hpp"

// Over what stands above.
#include "kdyn/fmu/runtime/fmi2_functions.hpp"
