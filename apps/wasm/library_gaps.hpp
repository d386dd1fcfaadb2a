// SPDX-License-Identifier: Apache-2.0
// What the C++ library of Debian's emscripten (libc++ 13) lacks of C++20 and kdyn uses. Included before every source.
#pragma once

#ifdef __cplusplus
#include <version>

#ifndef __cpp_lib_bit_cast
#include <bit>

namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif
#endif
