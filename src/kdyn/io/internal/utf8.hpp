// SPDX-License-Identifier: Apache-2.0
// Text in UTF-8, from code points, UTF-16 and the code pages of Windows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kdyn::inline io::internal {

inline void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const std::uint32_t lead = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
  out += static_cast<char>(lead | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
}

// Of `count` units of UTF-16, as unit(i) gives them; half a surrogate pair becomes U+FFFD.
template <class Unit>
std::string utf8_of_utf16(std::size_t count, Unit&& unit) {
  std::string out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t code = unit(i);
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < count && unit(i + 1) >= 0xdc00 && unit(i + 1) < 0xe000)
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(++i) - 0xdc00);
    else if (code >= 0xd800 && code < 0xe000)
      code = 0xfffd;
    append_utf8(out, code);
  }
  return out;
}

// The unit of UTF-16 that begins at this byte.
inline std::uint32_t utf16_unit(std::string_view bytes, std::size_t at, bool big_endian) {
  const auto a = static_cast<unsigned char>(bytes[at]), b = static_cast<unsigned char>(bytes[at + 1]);
  return static_cast<std::uint32_t>(big_endian ? (a << 8) | b : (b << 8) | a);
}

// Codes 128 to 159 that Windows-1252 does not use stay as they are.
std::string from_windows1252(std::string_view bytes);

}  // namespace kdyn::inline io::internal
