// SPDX-License-Identifier: Apache-2.0
// What --help prints: made from the registry and the field tables, wrapped for a terminal.
#pragma once

#include <string>

#include "kdyn/app/operation.hpp"

namespace kdyn::cli {

std::string flag_name(std::string field);  // weight_k_dyn -> weight-k-dyn

std::string help_of_program();
std::string help_of_group(const std::string& group);  // "fit": the operations whose name starts with it
std::string help_of(const app::Operation& operation);

}  // namespace kdyn::cli
