// SPDX-License-Identifier: Apache-2.0
// Any bytes as frequency responses in delimited text.
#include "guard.hpp"

#include "kdyn/io/frf_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) { kdyn::parse_frf_csv(content, "fuzz.csv"); });
}
