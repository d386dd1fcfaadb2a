// SPDX-License-Identifier: Apache-2.0
// Any bytes as property files: .bus, .gbs and .ubf.
#include "guard.hpp"

#include "kdyn/io/bushing_file.hpp"
#include "kdyn/io/ubf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    kdyn::TeimOrbitFile file = kdyn::parse_teimorbit(content, "fuzz.bus");
    kdyn::is_ubf(file) ? (void)kdyn::ubf_of(std::move(file)) : (void)kdyn::bushing_of(std::move(file));
  });
}
