// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kdyn::inline base {

std::string version();   // "0.1.0"
std::string revision();  // git describe at configure time, or "unknown"
std::string compiler();  // name and version

}  // namespace kdyn::inline base
