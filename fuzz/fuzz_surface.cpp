// SPDX-License-Identifier: Apache-2.0
// Any bytes as the surface of a body.
#include "guard.hpp"

#include "kdyn/io/surface_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size,
                     [](std::string_view content) { kdyn::thinned(kdyn::parse_surface(content, "fuzz.stl"), 20); });
}
