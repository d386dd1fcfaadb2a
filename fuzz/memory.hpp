// SPDX-License-Identifier: Apache-2.0
// Memory that is held now and was held at most, in bytes: of all allocations under the address sanitizer (C libraries
// too), of operator new in builds without it.
#pragma once

#include <cstddef>

namespace fuzz {

extern std::size_t live, peak;

}  // namespace fuzz
