// SPDX-License-Identifier: Apache-2.0
// Writing as in file.hpp for libraries that write files themselves: to a temporary name, then renamed.
#pragma once

#include <functional>
#include <string>

namespace kdyn::inline base {

// `write` makes the file of the name it is given, or throws; then nothing is left of it. Creates missing folders.
void write_by(const std::string& path, const std::function<void(const std::string& temporary)>& write);

}  // namespace kdyn::inline base
