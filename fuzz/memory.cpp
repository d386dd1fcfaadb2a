// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <cstdlib>
#include <new>

#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

namespace fuzz {

std::size_t live = 0, peak = 0;

namespace {

void took(std::size_t bytes) {
  live += bytes;
  if (live > peak) peak = live;
}

#if __has_feature(address_sanitizer)
void on_malloc(const volatile void* p, std::size_t) {
  took(__sanitizer_get_allocated_size(const_cast<const void*>(p)));
}
void on_free(const volatile void* p) {
  if (p != nullptr) live -= __sanitizer_get_allocated_size(const_cast<const void*>(p));
}
[[maybe_unused]] const int hooked = [] {
  const int slot = __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free);
  if (slot == 0) __builtin_trap();
  return slot;
}();
#endif

}  // namespace

#if !__has_feature(address_sanitizer)
static void* take(std::size_t bytes) {
  void* p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  took(malloc_usable_size(p));
  return p;
}
static void give(void* p) {
  if (p == nullptr) return;
  live -= malloc_usable_size(p);
  std::free(p);
}
#endif

}  // namespace fuzz

#if __has_feature(address_sanitizer)
// Whole call stacks of allocations that nobody reads, and a large store of freed memory, cost half the speed.
extern "C" const char* __asan_default_options() { return "malloc_context_size=3:quarantine_size_mb=16"; }
#else
void* operator new(std::size_t bytes) { return fuzz::take(bytes); }
void operator delete(void* p) noexcept { fuzz::give(p); }
void operator delete(void* p, std::size_t) noexcept { fuzz::give(p); }
#endif
