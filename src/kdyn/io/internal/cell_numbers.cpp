// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/cell_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// Blanks between digits and signs outside ASCII in a plain writing: no-break blanks and apostrophes become ', the minus
// sign becomes -.
std::string plain_signs(std::string_view text) {
  static constexpr std::pair<std::string_view, char> known[] = {{"\xc2\xa0", '\''},     {"\xe2\x80\xaf", '\''},
                                                                {"\xe2\x80\x89", '\''}, {"\xe2\x80\x99", '\''},
                                                                {"\xe2\x88\x92", '-'},  {"\xe2\x80\x93", '-'}};
  const bool ascii =
      std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  std::string out(ascii ? text : std::string_view());
  for (std::size_t i = out.size(); i < text.size();) {
    bool found = false;
    for (const auto& [from, to] : known)
      if (text.substr(i).starts_with(from)) {
        out += to;
        i += from.size();
        found = true;
        break;
      }
    if (!found) out += text[i++];
  }
  // A blank between digits groups; elsewhere it ends the number.
  for (std::size_t i = 1; i + 1 < out.size(); ++i)
    if (out[i] == ' ' && digit(out[i - 1]) && digit(out[i + 1])) out[i] = '\'';
  while (!out.empty() && out.front() == '\'') out.erase(out.begin());
  while (!out.empty() && out.back() == '\'') out.pop_back();
  return out;
}

// Most cells that are no numbers are told by their letters.
bool may_be_number(std::string_view text) {
  constexpr std::size_t longest = 80;
  bool digits = false;
  for (const char c : text) {
    digits = digits || digit(c);
    if (!digit(c) && static_cast<unsigned char>(c) < 0x80 &&
        std::string_view("+-.,' eEdD").find(c) == std::string_view::npos)
      return false;
  }
  return digits && text.size() <= longest;
}

struct Parts {
  std::string mantissa, exponent;  // exponent with its letter
};

// Sign, digits and marks, then an exponent; nothing else.
std::optional<Parts> parts_of(const std::string& text) {
  const auto letter = text.find_first_of("eEdD");
  Parts parts{text.substr(0, letter), letter == std::string::npos ? "" : text.substr(letter)};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < parts.mantissa.size(); ++i) {
    const char c = parts.mantissa[i];
    if (digit(c))
      ++digits;
    else if (c == '+' || c == '-') {
      if (i != 0) return std::nullopt;
    } else if (c != '.' && c != ',' && c != '\'') {
      return std::nullopt;
    }
  }
  if (digits == 0) return std::nullopt;
  if (!parts.exponent.empty()) {
    std::string_view e = std::string_view(parts.exponent).substr(1);
    if (!e.empty() && (e.front() == '+' || e.front() == '-')) e.remove_prefix(1);
    if (e.empty() || e.size() > 4 || !std::all_of(e.begin(), e.end(), digit)) return std::nullopt;
  }
  return parts;
}

std::string without_sign(const std::string& mantissa) {
  return !mantissa.empty() && (mantissa.front() == '+' || mantissa.front() == '-') ? mantissa.substr(1) : mantissa;
}

// Groups of three digits behind each `mark`, one to three before the first.
bool groups_of_three(std::string_view text, char mark) {
  std::size_t run = 0;
  bool first = true;
  for (const char c : text) {
    if (c == mark) {
      if (first ? run == 0 || run > 3 : run != 3) return false;
      first = false;
      run = 0;
    } else {
      ++run;
    }
  }
  return first || run == 3;
}

}  // namespace

NumberShape shape_of(std::string_view raw) {
  NumberShape shape;
  raw = trim(raw);
  if (!may_be_number(raw)) return shape;
  const std::string text = plain_signs(raw);
  if (text.empty() || text.size() > 40) return shape;
  const auto parts = parts_of(text);
  if (!parts) return shape;
  std::string body = without_sign(parts->mantissa);
  shape.grouped = body.find('\'') != std::string::npos;
  const auto points = std::count(body.begin(), body.end(), '.'), commas = std::count(body.begin(), body.end(), ',');
  if (shape.grouped) {
    // Apostrophes or blanks stand before the decimal mark only, in groups of three.
    const auto mark = body.find_first_of(".,");
    const std::string_view whole = std::string_view(body).substr(0, mark);
    if (points + commas > 1 || body.rfind('\'') > whole.size() || !groups_of_three(whole, '\'')) return shape;
    shape.is_number = true;
    if (commas == 1) shape.decimal = Decimal::comma;
    if (points == 1) shape.decimal = Decimal::point;
    return shape;
  }
  if (points > 0 && commas > 0) {
    const bool comma_last = body.rfind(',') > body.rfind('.');
    const char group = comma_last ? '.' : ',';
    const std::string_view whole = std::string_view(body).substr(0, body.rfind(comma_last ? ',' : '.'));
    if ((comma_last ? commas : points) != 1 || body.rfind(group) > whole.size() || !groups_of_three(whole, group))
      return shape;
    shape.is_number = shape.grouped = true;
    shape.decimal = comma_last ? Decimal::comma : Decimal::point;
  } else if (commas > 1) {
    shape.is_number = shape.grouped = groups_of_three(body, ',');
    shape.decimal = Decimal::point;
  } else if (points > 1) {
    shape.is_number = shape.grouped = groups_of_three(body, '.');
    shape.decimal = Decimal::comma;
  } else if (commas == 1) {
    shape.is_number = true;
    shape.undecided_comma = groups_of_three(body, ',') && body.front() != '0' && parts->exponent.empty();
    if (!shape.undecided_comma) shape.decimal = Decimal::comma;
  } else if (points == 1) {
    shape.is_number = true;
    const bool may_group = groups_of_three(body, '.') && body.front() != '0' && parts->exponent.empty();
    if (!may_group) shape.decimal = Decimal::point;
  } else {
    shape.is_number = true;
  }
  return shape;
}

std::optional<double> number_of(std::string_view raw, Decimal decimal) {
  const NumberShape shape = shape_of(raw);
  if (!shape.is_number) return std::nullopt;
  if (shape.decimal != Decimal::unknown &&
      shape.decimal != (decimal == Decimal::comma ? Decimal::comma : Decimal::point))
    return std::nullopt;
  const char mark = decimal == Decimal::comma ? ',' : '.';
  const std::string text = plain_signs(trim(raw));
  std::string plain;
  for (const char c : text) {
    if (c == mark)
      plain += '.';
    else if (c == 'D' || c == 'd')
      plain += 'e';
    else if (c != '.' && c != ',' && c != '\'')
      plain += c;
  }
  const auto value = parse_number(plain);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool means_missing(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.find_first_not_of("-*?.\xe2\x80\x93\x94") == std::string_view::npos) return true;
  static constexpr std::array<std::string_view, 22> words = {
      "n/a", "na",   "nan",  "#nv",     "#n/a",   "#na",     "nv",      "null",  "none",  "n.a.",   "k.a.",
      "nd",  "n.d.", "void", "#value!", "#wert!", "#div/0!", "#bezug!", "#ref!", "#num!", "#zahl!", "inf"};
  const std::string small = lower_case(text);
  return std::find(words.begin(), words.end(), small) != words.end() || small == "-nan" || small == "+nan" ||
         small == "1.#qnan" || small == "-1.#ind" || small == "-inf" || small == "missing";
}

std::optional<NumberInText> number_in(std::string_view text, Decimal decimal) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool sign = (text[i] == '+' || text[i] == '-') && i + 1 < text.size() && digit(text[i + 1]);
    if (!digit(text[i]) && !sign) continue;
    if (i > 0 &&
        (std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_')) {  // x0, F0, K1: a name
      while (i + 1 < text.size() && (digit(text[i + 1]) || text[i + 1] == '.')) ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && (digit(text[end]) || text[end] == '.' || text[end] == ',')) ++end;
    if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
        (digit(text[end + 1]) ||
         (end + 2 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+') && digit(text[end + 2])))) {
      end += 2;
      while (end < text.size() && digit(text[end])) ++end;
    }
    std::size_t stop = end;
    while (stop > i + 1 && (text[stop - 1] == '.' || text[stop - 1] == ',')) --stop;
    const std::string_view number = text.substr(i, stop - i);
    auto value = number_of(number, decimal);
    if (!value && decimal == Decimal::unknown) value = number_of(number, Decimal::comma);
    if (!value) return std::nullopt;
    return NumberInText{std::string(trim(text.substr(0, i))), std::string(trim(text.substr(stop))), *value};
  }
  return std::nullopt;
}

}  // namespace kdyn::inline io::internal
