// SPDX-License-Identifier: Apache-2.0
// Numbers of the property cards of beams, rods and bushings, in the units of the deck.
#pragma once

#include <optional>

#include "kdyn/fe/model.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::fe::internal {

struct LineSection {
  Property property;           // label, material and law are left to the caller
  std::optional<BeamLaw> law;  // where the section changes along the beam or is not symmetric
};
// PROD, PTUBE, PBAR, PBARL, PBEAM, PBEAML.
LineSection line_section(const NastranDeck& deck, const NastranCard& card);

// The field behind a word of a PBUSH (k, b, ge, m), 0 when it has none.
std::size_t bush_values(const NastranCard& card, std::string_view word);
// The K and the GE line of a PBUSH, and its mass.
Vector6 bush_stiffness(const NastranDeck& deck, const NastranCard& card);
Vector6 bush_loss(const NastranDeck& deck, const NastranCard& card);
double bush_mass(const NastranDeck& deck, const NastranCard& card);

}  // namespace kdyn::fe::internal
