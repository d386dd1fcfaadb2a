// SPDX-License-Identifier: Apache-2.0
// Any bytes as a universal file: read with findings, or refused; what was read is turned into data types.
#include "guard.hpp"

#include "kdyn/io/uff_data.hpp"
#include "kdyn/io/uff_spectra.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    kdyn::UffFile file = kdyn::parse_uff(content, "fuzz.uff");
    kdyn::modes_of(file);
    kdyn::signals_of(file);
    std::vector<kdyn::Finding> findings;
    kdyn::spectra_of(file, findings);
    kdyn::frequency_response_of(std::move(file));
  });
}
