// SPDX-License-Identifier: Apache-2.0
// Models count with int (-1: ground, nothing), containers with std::size_t.
#pragma once

#include <cstddef>

namespace kdyn::mbs {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace kdyn::mbs
