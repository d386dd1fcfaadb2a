// SPDX-License-Identifier: Apache-2.0
// Any bytes as CalculiX matrix and labels.
#include "guard.hpp"

#include <string>

#include "kdyn/io/calculix.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    std::vector<kdyn::Finding> findings;
    kdyn::looks_like_calculix_matrix(content);
    kdyn::parse_calculix_dofs(content, "fuzz.dof", findings);
    kdyn::parse_calculix_matrix(std::string(content), "fuzz.sti", findings);
  });
}
