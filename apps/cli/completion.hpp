// SPDX-License-Identifier: Apache-2.0
// What shells and the manual need to know about operations: made from the registry.
#pragma once

#include <string>

namespace kdyn::cli {

// A script for bash, zsh or fish: `source <(kdyn completion bash)`. Throws Error(bad_input) for another shell.
std::string completion_of(const std::string& shell);

// In the language of man pages.
std::string manual_page();

}  // namespace kdyn::cli
