// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/version.hpp"

namespace kdyn::inline base {

std::string version() { return KDYN_VERSION; }
std::string revision() { return KDYN_REVISION; }
std::string compiler() { return KDYN_COMPILER; }

}  // namespace kdyn::inline base
