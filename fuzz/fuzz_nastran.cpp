// SPDX-License-Identifier: Apache-2.0
// Any bytes as bulk data: cards, geometry, DMIG matrices. Includes give the deck itself, so that circles are tried.
#include "guard.hpp"

#include <string>

#include "kdyn/io/dmig.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    const kdyn::IncludeReader once = [left = 2](const std::string&, const std::string&,
                                                std::string& reason) mutable -> std::optional<std::string> {
      if (left-- > 0) return "GRID,1,,1.,2.,3.\nINCLUDE 'again'\n";
      reason = "enough";
      return std::nullopt;
    };
    kdyn::NastranDeck deck = kdyn::parse_nastran(content, "fuzz.bdf", once);
    kdyn::looks_like_nastran(content);
    kdyn::geometry_of(deck);
    kdyn::dmig_matrices(deck);
  });
}
