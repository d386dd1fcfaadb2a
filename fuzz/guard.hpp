// SPDX-License-Identifier: Apache-2.0
// The promise every reader makes, checked on each input: it returns or throws Error(bad_input) with a message, and at
// no time holds more than 20 times the file (1 MB for tiny ones). Counted are all allocations, those of C libraries
// too, by the hooks of the sanitizer.
#pragma once

#include <sanitizer/allocator_interface.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/base/error.hpp"

namespace fuzz {

inline std::size_t live = 0, peak = 0;

inline void on_malloc(const volatile void* p, std::size_t) {
  live += __sanitizer_get_allocated_size(const_cast<const void*>(p));
  if (live > peak) peak = live;
}
inline void on_free(const volatile void* p) {
  if (p != nullptr) live -= __sanitizer_get_allocated_size(const_cast<const void*>(p));
}

// What a reader may hold, and some room for its messages and for tables that libraries build once.
inline std::size_t allowed(std::size_t file_bytes) {
  constexpr std::size_t floor = std::size_t{1} << 20, messages = std::size_t{1} << 20;
  return (20 * file_bytes > floor ? 20 * file_bytes : floor) + messages;
}

// `more`: bytes that a reader of packed data may hold beyond that.
template <class Read>
int check(const std::uint8_t* data, std::size_t size, Read&& read, std::size_t more = 0) {
  static const int hooked = __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free);
  if (hooked == 0) __builtin_trap();
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
