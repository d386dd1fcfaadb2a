// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/complex_text.hpp"

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/cell_numbers.hpp"

namespace kdyn::inline io::internal {

std::optional<ComplexText> split_complex(std::string_view raw) {
  raw = trim(raw);
  if (raw.size() < 4 || raw.size() > 80) return std::nullopt;
  if (raw.find_first_of("ijIJ") == std::string_view::npos) return std::nullopt;
  if (raw.front() == '(' && raw.back() == ')') raw = trim(raw.substr(1, raw.size() - 2));
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw.substr(i).starts_with("\xe2\x88\x92")) {  // the minus sign of typesetting
      text += '-';
      i += 2;
    } else if (raw[i] != ' ' && raw[i] != '*') {
      text += raw[i];
    }
  }
  // The sign between the parts: the last one that is neither first nor that of an exponent.
  std::size_t sign = std::string::npos;
  for (std::size_t i = 1; i < text.size(); ++i)
    if ((text[i] == '+' || text[i] == '-') && std::string_view("eEdD").find(text[i - 1]) == std::string_view::npos)
      sign = i;
  if (sign == std::string::npos) return std::nullopt;
  ComplexText out{text.substr(0, sign), text.substr(sign)};
  const auto unit = out.imaginary.find_first_of("ijIJ");
  if (unit == std::string::npos || (unit != 1 && unit + 1 != out.imaginary.size())) return std::nullopt;
  out.imaginary.erase(unit, 1);
  if (!shape_of(out.real).is_number || !shape_of(out.imaginary).is_number) return std::nullopt;
  return out;
}

}  // namespace kdyn::inline io::internal
