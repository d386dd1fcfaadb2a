// SPDX-License-Identifier: Apache-2.0
// The list of operations: a new one is added in registry.cpp with one line.
#pragma once

#include <vector>

#include "kdyn/app/operation.hpp"

namespace kdyn::app {

std::vector<Operation> registered_operations();

}  // namespace kdyn::app
