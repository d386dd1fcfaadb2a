// SPDX-License-Identifier: Apache-2.0
// The running program as the system knows it: its file, modules that lie beside it, and what its children inherit.
#pragma once

#include <filesystem>
#include <string>

#include <spawn.h>

namespace kdyn::inline base {

// Empty where the system does not tell.
std::filesystem::path program_file();

// A module that is opened on demand: the one an environment variable names, else the one beside the program, in the folder
// above (tests, examples) or among the installed ones. Empty: there is none.
std::string find_module(const char* variable, const char* name);

// The child gets standard input, output and error, and no other file of this process.
void close_other_files(posix_spawn_file_actions_t& actions);

}  // namespace kdyn::inline base
