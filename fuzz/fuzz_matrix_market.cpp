// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Matrix Market file.
#include "guard.hpp"

#include "kdyn/io/matrix_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) { kdyn::parse_matrix_market(content, "fuzz.mtx"); });
}
