// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/double_chars.hpp"

namespace kdyn::inline base {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, ec] = double_from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc() && end == text.data() + text.size()) return value;
  // Fortran writes the exponent with D; everything else is not a number.
  if (end != text.data() + text.size() && (*end == 'd' || *end == 'D') && text.size() < 64) {
    std::string copy(text);
    copy[static_cast<std::size_t>(end - text.data())] = 'e';
    const auto [end2, ec2] = double_from_chars(copy.data(), copy.data() + copy.size(), value);
    if (ec2 == std::errc() && end2 == copy.data() + copy.size()) return value;
  }
  return std::nullopt;
}

std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  if (word.size() < 2) return std::nullopt;
  // Two changes in three letters leave nothing of a word.
  const std::size_t farthest = word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3);
  std::size_t best_distance = farthest + 1;
  for (const std::string& candidate : candidates) {
    // Two letters that changed places count once: fti is one step from fit.
    std::vector<std::size_t> before, last(candidate.size() + 1), row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      before = std::exchange(last, row);
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        row[j + 1] = std::min({row[j] + 1, last[j + 1] + 1, last[j] + (word[i] == candidate[j] ? 0 : 1)});
        if (i > 0 && j > 0 && word[i] == candidate[j - 1] && word[i - 1] == candidate[j])
          row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string text;
  if (word.size() <= 100)
    if (const auto near = closest(word, candidates)) text = fmt::format("did you mean '{}'? ", *near);
  return text + "known: " + join(candidates, ", ");
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

namespace {

// Bytes of the letter that begins here: 1 for ASCII that can be shown, up to 4 in UTF-8; 0 for bytes that are no UTF-8
// and for what would move the cursor or the direction of writing.
std::size_t shown_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = code < (size == 3 ? 0x800U : size == 4 ? 0x10000U : 0x80U);
  const bool controls = code < 0xa0 || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                        (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
  return overlong || controls || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  std::size_t shown = 0;
  for (; !text.empty() && shown < longest; ++shown) {
    const std::size_t size = shown_letter(text);
    if (size == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else
      out += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  if (!text.empty()) out += "...";
  return out + "'";
}

}  // namespace kdyn::inline base
