// SPDX-License-Identifier: Apache-2.0
// A sound zip archive of parts without compression: what stands in the parts reaches the reader behind the archive,
// whose checksums would hide it from changes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kdyn::test {

using Parts = std::vector<std::pair<std::string, std::string_view>>;

inline std::uint32_t checksum(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      std::uint32_t crc = i;
      for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
      out[i] = crc;
    }
    return out;
  }();
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (crc >> 8);
  return ~crc;
}

inline void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

inline std::string archive(const Parts& parts) {
  std::string out, directory;
  for (const auto& [name, content] : parts) {
    const auto offset = static_cast<std::uint32_t>(out.size()), size = static_cast<std::uint32_t>(content.size());
    std::string fields;
    put(fields, 20, 2), put(fields, 0, 2), put(fields, 0, 2), put(fields, 0, 4);
    put(fields, checksum(content), 4), put(fields, size, 4), put(fields, size, 4);
    put(fields, static_cast<std::uint32_t>(name.size()), 2), put(fields, 0, 2);
    out.append("PK\x03\x04").append(fields).append(name).append(content);
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    directory += fields;
    put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4), put(directory, offset, 4);
    directory += name;
  }
  const auto start = static_cast<std::uint32_t>(out.size());
  out += directory + "PK\x05\x06";
  put(out, 0, 4), put(out, static_cast<std::uint32_t>(parts.size()), 2),
      put(out, static_cast<std::uint32_t>(parts.size()), 2);
  put(out, static_cast<std::uint32_t>(directory.size()), 4), put(out, start, 4), put(out, 0, 2);
  return out;
}

}  // namespace kdyn::test
