// SPDX-License-Identifier: Apache-2.0
// Any bytes as Nastran OP2 results.
#include "guard.hpp"

#include "kdyn/io/op2.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) { kdyn::parse_op2(content, "fuzz.op2"); });
}
