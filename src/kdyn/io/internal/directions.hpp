// SPDX-License-Identifier: Apache-2.0
// Directions of a mount in words, names of columns, sheets and files: x, y, z, rx, ry, rz, radial, axial, torsional,
// cardanic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline io::internal {

// The direction a word stands for: "Z", "fz", "axial", "Richtung x" -> "x"; empty for others.
std::string direction_of_word(std::string_view word);
// The direction in a name of a file, folder or sheet, when exactly one of its words is one.
std::string direction_in_name(std::string_view name);

// A column name (words joined by _) without one of its words that is a direction, and that direction: empty where the
// word is too common to count ("vertical" is a channel of any machine). All ways to take one out, in order.
struct NameOfDirection {
  std::string rest, direction;
};
std::vector<NameOfDirection> without_direction(const std::string& name);

}  // namespace kdyn::inline io::internal
