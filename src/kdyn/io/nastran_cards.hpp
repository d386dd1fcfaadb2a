// SPDX-License-Identifier: Apache-2.0
// What kdyn does with each bulk data card, by name: the one table that the reader, the model and the documentation share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline io {

enum class CardRole {
  used,      // kept by the reader; what is asked of it that kdyn does not have is refused by whoever uses it
  loads,     // carry neither stiffness nor mass: forces, temperatures, enforced motion
  solution,  // choices of the analysis, tables, sets, output
  aero,
  optimisation,
  contact,
  heat,
  curves,    // dependence of materials and properties on temperature, frequency or stress: the base values hold
  damping,   // natural frequencies do not need them
  property,  // a property or material that no element of a kind kdyn knows can use
  refused    // stiffness, mass or a link that kdyn does not have, and every name that stands nowhere here
};

CardRole role_of_card(std::string_view name);
// Of the roles between used and property: what such cards are, in words.
const char* words_of(CardRole role);
// What to do instead of a refused card; empty: nothing special is known.
std::string remedy_for_card(std::string_view name);

const std::vector<std::string>& known_nastran_cards();  // those that are used

}  // namespace kdyn::inline io
