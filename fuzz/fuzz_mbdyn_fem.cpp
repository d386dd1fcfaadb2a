// SPDX-License-Identifier: Apache-2.0
// Any bytes as modal data of MBDyn.
#include "guard.hpp"

#include "kdyn/io/mbdyn_fem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) { kdyn::parse_mbdyn_fem(content, "fuzz.fem"); });
}
