// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/scan.hpp"

#include "kdyn/io/internal/utf8.hpp"

#include <array>
#include <limits>

#include "kdyn/base/double_chars.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {
namespace {

// Exponent after a letter D or after a bare sign: rare enough to be copied into a form that from_chars knows.
bool take_fortran(const char* begin, const char* mantissa_end, const char* end, double& value, const char*& stop) {
  std::array<char, 64> copy;
  const char* p = mantissa_end;
  if (*p == 'd' || *p == 'D') ++p;
  const char* exponent = p;
  if (p != end && (*p == '+' || *p == '-')) ++p;
  const char* digits = p;
  while (p != end && is_digit(*p) && p - digits < 4) ++p;
  if (p == digits) return false;
  const auto length = static_cast<std::size_t>(mantissa_end - begin), tail = static_cast<std::size_t>(p - exponent);
  if (length + tail + 1 > copy.size()) return false;
  std::memcpy(copy.data(), begin, length);
  copy[length] = 'e';
  std::memcpy(copy.data() + length + 1, exponent, tail);
  const auto [parsed, problem] = double_from_chars(copy.data(), copy.data() + length + 1 + tail, value);
  stop = p;
  return parsed == copy.data() + length + 1 + tail && problem == std::errc();
}

bool bare_exponent(const char* p, const char* end) {
  // 1.23456-101: a sign and exactly three digits glued to a mantissa is an exponent, since E13.5 gives up its letter
  // only then.
  if (end - p < 4 || (*p != '+' && *p != '-')) return false;
  return is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) && (end - p == 4 || !(is_digit(p[4]) || p[4] == '.'));
}

}  // namespace

bool take_number(const char*& p, const char* end, double& value) {
  const char* begin = p;
  if (begin != end && *begin == '+' && end - begin > 1 && begin[1] != '-') ++begin;
  auto [stop, problem] = double_from_chars(begin, end, value);
  if (problem == std::errc::invalid_argument) return false;
  if (stop != end && (*stop == 'D' || *stop == 'd' || bare_exponent(stop, end))) {
    double wide = 0.0;
    const char* fortran_stop = stop;
    if (take_fortran(begin, stop, end, wide, fortran_stop)) value = wide, stop = fortran_stop, problem = std::errc();
  }
  if (problem == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: too small is zero, too large is infinite, and which one the exponent's sign
    // tells.
    const std::string_view text(begin, static_cast<std::size_t>(stop - begin));
    const bool small = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    value = small ? 0.0 : std::numeric_limits<double>::infinity();
    if (text.front() == '-') value = -value;
  }
  p = stop;
  return true;
}

bool append_numbers(std::string_view line, std::vector<double>& values) {
  const char* p = line.data();
  const char* const end = p + line.size();
  for (;;) {
    while (p != end && is_space(*p)) ++p;
    if (p == end) return true;
    double value = 0.0;
    if (!take_number(p, end, value)) return false;
    values.push_back(value);
  }
}

std::optional<double> field_number(std::string_view field) {
  field = trim(field);
  const char* p = field.data();
  double value = 0.0;
  if (field.empty() || !take_number(p, field.data() + field.size(), value) || p != field.data() + field.size())
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> field_integer(std::string_view field) {
  field = trim(field);
  if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || problem != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<std::int64_t>> integer_fields(std::string_view line, std::size_t width) {
  std::vector<std::int64_t> values;
  bool by_columns = false;
  for (const std::string_view word : words_of(line)) by_columns = by_columns || word.size() > width;
  if (by_columns) {
    for (std::size_t first = 0; first < line.size(); first += width) {
      const std::string_view field = trim(line.substr(first, width));
      if (field.empty()) continue;
      const auto value = field_integer(field);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }
  for (const std::string_view word : words_of(line)) {
    const auto value = field_integer(word);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && is_space(line[i])) ++i;
    const std::size_t first = i;
    while (i < line.size() && !is_space(line[i])) ++i;
    if (i > first) words.push_back(line.substr(first, i - first));
  }
  return words;
}

std::string to_utf8(std::string_view text) {
  bool plain = true, utf8 = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) continue;
    plain = false;
    const std::size_t more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
    if (more == 0 || i + more >= text.size()) {
      utf8 = false;
      break;
    }
    for (std::size_t k = 1; k <= more; ++k) utf8 = utf8 && (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    // Overlong forms and surrogates of three bytes are no text either.
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) || (c == 0xf0 && second < 0x90) ||
        (c == 0xf4 && second > 0x8f))
      utf8 = false;
    if (!utf8) break;
    i += more;
  }
  if (plain || utf8) return std::string(text);
  std::string out;
  for (const char byte : text) append_utf8(out, static_cast<unsigned char>(byte));
  return out;
}

}  // namespace kdyn::inline io::internal
