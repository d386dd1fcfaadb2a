// SPDX-License-Identifier: Apache-2.0
// Any bytes as a store, and as a MATLAB file of version 7.3.
#include "guard.hpp"

#include "kdyn/io/mat.hpp"
#include "kdyn/io/store.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    if (kdyn::looks_like_mat(content))
      kdyn::matrices_of(kdyn::parse_mat(content, "fuzz.mat"));
    else
      kdyn::parse_store(content, "fuzz.h5");
  });
}
