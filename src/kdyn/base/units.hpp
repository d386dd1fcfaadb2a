// SPDX-License-Identifier: Apache-2.0
// Units of measurement files: parsed, compared by dimension, converted to SI at the border.
//
// A unit is a product of symbols with optional exponents: "N/mm", "kip/in", "N*s/m", "Nmm/deg", "m/s^2", "1/m", "%";
// parentheses group: "(m/s^2)/N". After the first slash everything divides: "N/mm*s" is N/(mm*s). Degree, micro, middle
// dot and superscripts may be written as such. Spellings of ASAM files and lab tools are known: "U/min", "rpm", "km/h",
// "µm/m", "Volts", "Micro Strain". Angle is kept as a dimension of its own, so that N*m/rad and N*m stay apart and
// degrees cannot pass for metres.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace kdyn::inline base {

struct Unit {
  double to_si = 1.0;              // value_si = to_si * value
  std::array<int, 5> dimension{};  // exponents of length, mass, time, angle, current
  bool same_dimension(const Unit& other) const { return dimension == other.dimension; }
};

// Nothing when the text is not a unit kdyn knows.
std::optional<Unit> parse_unit(std::string_view text);

// Parses `text` and requires the dimension of `si_unit` ("N/m"); throws Error(bad_input) at `where` otherwise.
double factor_to_si(std::string_view text, std::string_view si_unit, const std::string& where);

// "rad" -> "deg" and the like: a value in another unit of the same dimension. Both are named by kdyn itself.
double convert(double value, std::string_view from, std::string_view to);

// Engineering units for people: results are SI, tables and plots show N/mm, mm, deg, ms.
struct DisplayUnit {
  std::string unit;
  double factor = 1.0;  // shown = factor * SI
};
DisplayUnit display_unit(const std::string& si_unit);

}  // namespace kdyn::inline base
