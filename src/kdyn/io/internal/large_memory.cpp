// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/large_memory.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kdyn::inline io::internal {

void reserve_large(std::vector<double>& values, std::size_t count) {
  values.reserve(count);
#ifdef __linux__
  // Whole large pages (2 MB) within the block; a wish that the system may ignore.
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(values.data()) + count * sizeof(double)) & ~(page - 1);
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace kdyn::inline io::internal
