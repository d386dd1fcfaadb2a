// SPDX-License-Identifier: Apache-2.0
// Zip archives in memory (libzip), and the system's C compiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kdyn::internal {

// Entries in their order, with a fixed date: the same content gives the same bytes.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& entries);

struct Compiled {
  std::string library;   // bytes of the shared object; empty: it could not be made
  std::string compiler;  // the command that made it
  std::string machine;   // what it was made for: x86_64-linux-gnu
  std::string reason;    // why it could not be made
};
// Compiles `main_source` of these files (names and contents) to a shared object, by the first of these compilers that exists.
Compiled compile_shared(const std::vector<std::pair<std::string, std::string>>& files, const std::string& main_source,
                        const std::vector<std::string>& compilers);

}  // namespace kdyn::internal
