// SPDX-License-Identifier: Apache-2.0
// Where results go when --out does not say it: out/INPUT_OPERATION, e.g. out/z_map_fit_elastomer.
#pragma once

#include <string>

#include "kdyn/app/operation.hpp"

namespace kdyn::cli {

// Operations that tell something, or write a file that the user names: without --out they write nothing.
bool only_looks(const app::Operation& operation);

// Named after the first input file or folder; empty for operations that only look.
std::string default_folder(const app::Operation& operation, const Json& options);

// The first of NAME, NAME_2, NAME_3 ... without results of another run.
std::string free_folder(const std::string& name);

}  // namespace kdyn::cli
