// SPDX-License-Identifier: Apache-2.0
// Any bytes as standard input data of a flexible body.
#include "guard.hpp"

#include "kdyn/io/sid.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) { kdyn::parse_sid(content, "fuzz.sid_fem"); });
}
