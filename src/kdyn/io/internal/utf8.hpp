// SPDX-License-Identifier: Apache-2.0
// A code point as UTF-8.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace kdyn::inline io::internal
