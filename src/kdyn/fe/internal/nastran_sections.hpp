// SPDX-License-Identifier: Apache-2.0
// Numbers of property cards, in the units of the deck.
#pragma once

#include "kdyn/fe/model.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::fe::internal {

// PSHELL, PSOLID, PROD, PBAR, PBARL, PBEAM (first end), PBEAML; label and material are left to the caller.
Property section_of(const NastranDeck& deck, const NastranCard& card);
// The field behind a word of a PBUSH (k, b, ge), 0 when it has none.
std::size_t bush_values(const NastranCard& card, std::string_view word);
// The K and the GE line of a PBUSH.
Vector6 bush_stiffness(const NastranDeck& deck, const NastranCard& card);
Vector6 bush_loss(const NastranDeck& deck, const NastranCard& card);

}  // namespace kdyn::fe::internal
