// SPDX-License-Identifier: Apache-2.0
// The promise every reader makes, checked on each input: it returns or throws Error(bad_input) with a message, and at
// no time holds more than 20 times the file (1 MB for tiny ones). What is counted: memory.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/base/error.hpp"

#include "memory.hpp"

namespace fuzz {

// What a reader may hold, and some room for its messages and for tables that libraries build once.
inline std::size_t allowed(std::size_t file_bytes) {
  constexpr std::size_t floor = std::size_t{1} << 20, messages = std::size_t{1} << 20;
  return (20 * file_bytes > floor ? 20 * file_bytes : floor) + messages;
}

// What a reader of tables may hold beyond that: a column has names and findings, however few letters its cells have.
constexpr std::size_t table_room = std::size_t{32} << 20;

// `more`: bytes that a reader of packed data or of tables may hold beyond that.
template <class Read>
int check(const std::uint8_t* data, std::size_t size, Read&& read, std::size_t more = 0) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const std::size_t before = live;
  peak = live;
  try {
    read(content);
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  if (peak - before > allowed(size) + more) __builtin_trap();
  return 0;
}

}  // namespace fuzz
