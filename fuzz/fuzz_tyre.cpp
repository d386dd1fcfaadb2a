// SPDX-License-Identifier: Apache-2.0
// Any bytes as the property file of a tyre, and its Magic Formula.
#include "guard.hpp"

#include "kdyn/io/tyre_file.hpp"
#include "kdyn/mbs/magic_formula_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    const kdyn::TyreFile file = kdyn::parse_tyre_file(content, "fuzz.tir");
    std::vector<kdyn::Finding> findings;
    kdyn::mbs::magic_formula_of(file, findings);
  });
}
