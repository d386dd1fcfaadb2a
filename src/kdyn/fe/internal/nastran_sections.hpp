// SPDX-License-Identifier: Apache-2.0
// Numbers of property cards, in the units of the deck.
#pragma once

#include "kdyn/fe/model.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::fe::internal {

// PSHELL, PSOLID, PROD, PBAR, PBARL, PBEAM (first end), PBEAML; label and material are left to the caller.
Property section_of(const NastranDeck& deck, const NastranCard& card);
// The K line of a PBUSH.
Vector6 bush_stiffness(const NastranDeck& deck, const NastranCard& card);

}  // namespace kdyn::fe::internal
