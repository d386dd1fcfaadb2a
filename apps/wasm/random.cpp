// SPDX-License-Identifier: Apache-2.0
// getrandom(2), from what browsers and node have for it.
#include <sys/random.h>

#include <emscripten.h>

// clang-format off
EM_JS(void, page_random, (void* bytes, int count), { crypto.getRandomValues(HEAPU8.subarray(bytes, bytes + count)); });
// clang-format on

extern "C" ssize_t getrandom(void* bytes, size_t count, unsigned) {
  page_random(bytes, static_cast<int>(count));
  return static_cast<ssize_t>(count);
}
