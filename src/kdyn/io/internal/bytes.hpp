// SPDX-License-Identifier: Apache-2.0
// Numbers in binary files of either byte order.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace kdyn::inline io::internal {

template <class T>
T swapped(T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if constexpr (sizeof(T) == 2) {
    std::uint16_t bits;
    std::memcpy(&bits, &value, 2);
    bits = __builtin_bswap16(bits);
    std::memcpy(&value, &bits, 2);
  } else if constexpr (sizeof(T) == 4) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits = __builtin_bswap32(bits);
    std::memcpy(&value, &bits, 4);
  } else if constexpr (sizeof(T) == 8) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    bits = __builtin_bswap64(bits);
    std::memcpy(&value, &bits, 8);
  }
  return value;
}

// The machines kdyn runs on are little-endian.
template <class T>
T load(const char* p, bool big_endian) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return big_endian ? swapped(value) : value;
}

template <class T>
void store(std::string& out, T value, bool big_endian = false) {
  if (big_endian) value = swapped(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace kdyn::inline io::internal
