// SPDX-License-Identifier: Apache-2.0
// Text of any bench computer as UTF-8.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/utf8.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io {
namespace {

std::string from_utf16(std::string_view bytes, bool big) {
  return internal::utf8_of_utf16(bytes.size() / 2, [&](std::size_t i) {
    const std::uint32_t unit = internal::utf16_unit(bytes, 2 * i, big);
    return unit == 0 ? 0xfffdU : unit;
  });
}

// The 32 places where Windows-1252 differs from Latin-1; 0: not used.
constexpr std::array<std::uint16_t, 32> windows_1252 = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                        0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                                        0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                        0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

bool valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t more = c < 0x80                  ? 0
                             : (c >= 0xc2 && c < 0xe0) ? 1
                             : (c >= 0xe0 && c < 0xf0) ? 2
                             : (c >= 0xf0 && c < 0xf5) ? 3
                                                       : 9;
    if (more == 9 || i + more >= text.size() + (more == 0 ? 1 : 0)) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    i += 1 + more;
  }
  return true;
}

// NULs in every second place of the first bytes: 1 for the high byte first, 0 for the low byte, -1 for neither.
int utf16_without_mark(std::string_view content) {
  const std::size_t sample = std::min<std::size_t>(content.size(), 512) / 2;
  if (sample < 4 || content.size() % 2 != 0) return -1;
  std::size_t even = 0, odd = 0;
  for (std::size_t i = 0; i < sample; ++i) {
    even += content[2 * i] == '\0' ? 1 : 0;
    odd += content[2 * i + 1] == '\0' ? 1 : 0;
  }
  if (odd * 10 >= sample * 9 && even == 0) return 0;
  if (even * 10 >= sample * 9 && odd == 0) return 1;
  return -1;
}

// Cells of a line of a LabVIEW file.
std::vector<std::string_view> cells_of(std::string_view line, char mark) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(mark, at), line.size());
    out.push_back(trim(line.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

// LabVIEW measurement files (.lvm): two heads, each closed by a line of its own, then the names of the columns and the
// samples. Nothing for other files. The heads become comments, so that lines keep their numbers; units, which the
// second head holds, go behind the names.
std::optional<std::string> plain_labview(std::string_view text) {
  constexpr std::string_view opening = "LabVIEW Measurement", closing = "***End_of_Header***";
  if (!text.starts_with(opening)) return std::nullopt;
  const char mark = text.substr(opening.size(), 1) == "," ? ',' : '\t';
  std::string out;
  std::vector<std::string_view> units, dimensions;
  bool has_times = true;
  int closed = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    const auto cells = cells_of(line, mark);
    const std::string_view key = cells.front(), value = cells.size() > 1 ? cells[1] : std::string_view();
    if (closed == 2) {
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const bool times = cells[c] == "X_Value" && (dimensions.size() < 2 || dimensions[1] == "Time");
        if (c > 0) out += mark;
        if (cells[c] == "X_Value" && !has_times) continue;  // the column is empty
        out += times ? std::string_view("Time [s]") : cells[c];
        if (!times && c < units.size() && !units[c].empty()) out.append(" [").append(units[c]).append("]");
      }
      out += '\n';
      out += text.substr(std::min(at, text.size()));
      return out;
    }
    if (line.starts_with(closing)) ++closed;
    if (key == "X_Columns") has_times = value != "No";
    if (key == "Y_Unit_Label") units = cells;
    if (key == "X_Dimension") dimensions = cells;
    if (key == "Delta_X" && !has_times)
      out.append("# Sample interval: ").append(value).append(" s\n");
    else
      out += key == "Date" ? fmt::format("# {}\n", line) : "#\n";
  }
  return std::nullopt;
}

}  // namespace

DecodedText decode_text(std::string_view content) {
  if (auto labview = plain_labview(content))
    return {valid_utf8(*labview) ? std::move(*labview) : internal::from_windows1252(*labview),
            "a measurement file of LabVIEW", true};
  if (content.starts_with("\xff\xfe")) return {from_utf16(content.substr(2), false), "UTF-16", true};
  if (content.starts_with("\xfe\xff")) return {from_utf16(content.substr(2), true), "UTF-16", true};
  if (content.starts_with("\xef\xbb\xbf") && valid_utf8(content))
    return {std::string(content.substr(3)), "UTF-8 with a byte order mark", true};
  if (const int big = utf16_without_mark(content); big >= 0) return {from_utf16(content, big == 1), "UTF-16", true};
  if (valid_utf8(content)) return {};
  return {internal::from_windows1252(content), "Windows-1252 (Latin-1)", true};
}

bool looks_binary(std::string_view content) {
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff") || utf16_without_mark(content) >= 0)
    return false;
  const std::string_view head = content.substr(0, 4096);
  return std::any_of(head.begin(), head.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && u != 0x1a && u != 0x1b;
  });
}

std::string internal::from_windows1252(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    const bool special = c >= 0x80 && c < 0xa0 && windows_1252[c - 0x80U] != 0;
    append_utf8(out, special ? windows_1252[c - 0x80U] : c);
  }
  return out;
}

}  // namespace kdyn::inline io
