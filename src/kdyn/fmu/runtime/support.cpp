// SPDX-License-Identifier: Apache-2.0
// What the C++ library would bring, so that the binary needs the C library alone: memory, and an end where the library
// would throw (which only a bug can reach: nothing in an FMU asks for more than memory holds).
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

void* operator new(std::size_t size) {
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace std {  // declared by the headers above
void __throw_length_error(const char*) { abort(); }
void __throw_bad_alloc() { abort(); }
void __throw_bad_array_new_length() { abort(); }
void __throw_out_of_range_fmt(const char*, ...) { abort(); }
#ifdef __GLIBCXX__
bool _Sp_make_shared_tag::_S_eq(const type_info&) noexcept {
  return false;
}  // asked where libraries of several compilers meet
#endif
}  // namespace std

extern "C" {
[[noreturn]] void __cxa_pure_virtual();
void __cxa_pure_virtual() { std::abort(); }

#if defined __linux__
// Reference counts are always atomic: whether other threads run is not ours to know.
char __libc_single_threaded = 0;
#endif
}
