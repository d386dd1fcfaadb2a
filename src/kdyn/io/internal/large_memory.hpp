// SPDX-License-Identifier: Apache-2.0
// Memory for millions of samples. Filling it costs more than converting the samples when every 4 kB are a page of their
// own; the system is asked for large pages, where it has them.
#pragma once

#include <cstddef>
#include <vector>

namespace kdyn::inline io::internal {

// Reserves room for `count` numbers.
void reserve_large(std::vector<double>& values, std::size_t count);

}  // namespace kdyn::inline io::internal
