// SPDX-License-Identifier: Apache-2.0
// The promise every reader makes, checked on each input: it returns or throws Error(bad_input) with a message, and at no time holds more
// than 20 times the file (1 MB for tiny ones). Counted are all allocations by new; those of C libraries are bounded by -malloc_limit_mb.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

#include "kdyn/base/error.hpp"

namespace fuzz {

inline std::size_t live = 0, peak = 0;

inline void* counted(std::size_t size) {
  void* p = std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  live += malloc_usable_size(p);
  if (live > peak) peak = live;
  return p;
}
inline void release(void* p) {
  if (p == nullptr) return;
  live -= malloc_usable_size(p);
  std::free(p);
}

// What a reader may hold, and some room for its messages.
inline std::size_t allowed(std::size_t file_bytes) {
  constexpr std::size_t floor = std::size_t{1} << 20, messages = std::size_t{1} << 18;
  return (20 * file_bytes > floor ? 20 * file_bytes : floor) + messages;
}

template <class Read>
int check(const std::uint8_t* data, std::size_t size, Read&& read) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const std::size_t before = live;
  peak = live;
  try {
    read(content);
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  if (peak - before > allowed(size)) __builtin_trap();
  return 0;
}

}  // namespace fuzz

void* operator new(std::size_t size) { return fuzz::counted(size); }
void* operator new[](std::size_t size) { return fuzz::counted(size); }
void operator delete(void* p) noexcept { fuzz::release(p); }
void operator delete[](void* p) noexcept { fuzz::release(p); }
void operator delete(void* p, std::size_t) noexcept { fuzz::release(p); }
void operator delete[](void* p, std::size_t) noexcept { fuzz::release(p); }
