// SPDX-License-Identifier: Apache-2.0
// Any bytes as a MATLAB file of version 4 or 5; version 7.3 is left to fuzz_hdf5. Packed arrays may take 512 MB more
// than other files.
#include "guard.hpp"

#include "kdyn/io/mat.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(
      data, size,
      [](std::string_view content) {
        if (content.size() > 125 && (content[125] == 2 || content.starts_with("MATLAB 7.3"))) return;
        kdyn::MatFile file = kdyn::parse_mat(content, "fuzz.mat");
        kdyn::signals_of(file, file.findings);
        kdyn::matrices_of(std::move(file));
      },
      std::size_t{512} << 20);
}
