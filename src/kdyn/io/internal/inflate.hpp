// SPDX-License-Identifier: Apache-2.0
// Deflate streams of known size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kdyn::inline io::internal {

// A zlib stream that unpacks to exactly `size` bytes; anything else throws Error(bad_input) at `where`. Memory grows
// with what comes out, so that a claimed size costs nothing.
std::string inflate_exactly(std::string_view packed, std::size_t size, const std::string& where);

}  // namespace kdyn::inline io::internal
