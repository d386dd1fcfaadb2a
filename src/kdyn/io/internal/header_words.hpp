// SPDX-License-Identifier: Apache-2.0
// Words of table headers in English, German and French, as they are compared: small letters, accents and primes spelled
// out, joined by _.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kdyn/io/internal/column_names.hpp"

namespace kdyn::inline io::internal {

struct HeaderWord {
  Quantity quantity = Quantity::frequency;
  bool weak = false;  // a letter or symbol: counts only where the unit agrees
};
// Among equal names the one whose unit agrees; without a unit the first that is not weak.
std::optional<HeaderWord> find_word(std::string_view name, const std::string& unit);

bool is_part_word(std::string_view name);       // "part_no", "prufling"
bool is_direction_word(std::string_view name);  // "direction", "richtung"
bool is_date_word(std::string_view name);       // "test_date", "prufdatum"
bool is_batch_word(std::string_view name);      // "batch_no", "charge_nr"

// Words of a header in plain small letters: accents and primes spelled out, joined by _.
std::string plain_words(std::string_view text);

}  // namespace kdyn::inline io::internal
