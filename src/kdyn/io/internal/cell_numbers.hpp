// SPDX-License-Identifier: Apache-2.0
// Numbers that are written as text: decimal point or comma, thousands in groups, signs for "nothing was measured here".
//
// One cell does not tell whether 1,234 is one and a bit or one thousand; a table does, when any of its cells is clear
// (0,05 or 1.234,5). Rules: a mark that comes once with other than three digits behind it is a decimal mark; the last
// of two different marks is the decimal mark; a mark that comes more than once groups thousands. Blanks (also no-break
// ones) and apostrophes between digits group thousands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdyn::inline io::internal {

enum class Decimal { unknown, point, comma };

// How one cell is written.
struct NumberShape {
  bool is_number = false;
  Decimal decimal = Decimal::unknown;  // what this cell proves
  bool undecided_comma = false;        // 1,234 and nothing else
  bool grouped = false;                // has signs between thousands
};
NumberShape shape_of(std::string_view text);

// The number of a cell under this decimal mark; nothing when it is none. Unknown stands for point.
std::optional<double> number_of(std::string_view text, Decimal decimal);

// Signs for a missing value: empty, -, ---, n/a, NaN, #NV, #N/A, ...
bool means_missing(std::string_view text);

// The first number within a text with what stands before and behind it: "Amplitude = 0,1 mm p-p" -> "Amplitude =", 0.1,
// "mm p-p".
struct NumberInText {
  std::string before, behind;
  double value = 0.0;
};
std::optional<NumberInText> number_in(std::string_view text, Decimal decimal);

}  // namespace kdyn::inline io::internal
