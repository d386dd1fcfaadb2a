// SPDX-License-Identifier: Apache-2.0
// See evp.h.
#pragma once

#include <cstddef>

inline int CRYPTO_memcmp(const void* a, const void* b, std::size_t count) {
  const auto *x = static_cast<const unsigned char*>(a), *y = static_cast<const unsigned char*>(b);
  int differs = 0;
  for (std::size_t i = 0; i < count; ++i) differs |= x[i] ^ y[i];
  return differs;
}
