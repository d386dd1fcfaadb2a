// SPDX-License-Identifier: Apache-2.0
// What people write above a column, in English, German and French: "Dyn. Amplitude (mm pk-pk)", "Kdyn 0.05mm [N/mm]",
// "K' [N/mm]", "x0".
//
// Goes beyond column_names.hpp, which it asks first: values in the name ("0.05 mm": one column for each amplitude),
// directions ("Kdyn x"), peak-to-peak, +- and rms in name or unit, primes and Greek letters, words of labels (part,
// direction). A short name counts only where its unit agrees: c in N/mm is a stiffness, c in N*s/mm a damping.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/internal/cell_numbers.hpp"
#include "kdyn/io/internal/column_names.hpp"
#include "kdyn/io/internal/directions.hpp"
#include "kdyn/io/internal/header_words.hpp"
#include "kdyn/io/internal/unit_text.hpp"

namespace kdyn::inline io::internal {

enum class LabelKind { none, part, direction, date, batch };

// A value in a header that holds for the column: 0.05 mm, 10 Hz, 850 N, 23 degC.
struct HeaderLevel {
  Quantity quantity = Quantity::amplitude;
  double value = 0.0;  // SI, zero-to-peak
  std::string text;    // as written
};

struct HeaderName {
  std::optional<Quantity> quantity;
  LabelKind label = LabelKind::none;
  bool weak = false;         // a single letter or a symbol: gives way to a full name
  std::string unit;          // as in UnitText; empty when none is told
  std::string unknown_unit;  // in brackets, but nothing kdyn knows
  std::string other_unit;    // told as well, and another one: the name says mm, the row below it in
  double factor = 1.0;
  bool multiplied = false;  // "tan delta x 1000": a factor in the name, which may mean either way
  AmplitudeKind kind = AmplitudeKind::peak;
  bool kind_told = false;
  std::optional<HeaderLevel> level;
  std::string direction;  // "x", "radial", ...; empty when none is told
  std::string left_over;  // words of the name that were not needed to know it, and may say more
};

// `unit_row` is the unit that stands below the name; empty when there is none.
HeaderName read_header_name(std::string_view raw, std::string_view unit_row, Decimal decimal);

// The level in a text such as "0,05 mm" or "A = 0.05 mm"; nothing when it is none.
std::optional<HeaderLevel> read_level(std::string_view text, Decimal decimal);

}  // namespace kdyn::inline io::internal
