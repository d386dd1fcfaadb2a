// SPDX-License-Identifier: Apache-2.0
// Files: reading with clear errors, writing so that a killed run leaves the old file or none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace kdyn::inline base {

// Largest file that is read whole into memory; larger ones are refused, naming this limit.
inline constexpr std::size_t max_file_bytes =
    static_cast<std::size_t>(std::min<std::uint64_t>(std::uint64_t{4} << 30, std::numeric_limits<std::size_t>::max()));

// The whole file as bytes. Missing, unreadable or a directory: ErrorCode::file_access.
std::string read_text(const std::string& path, std::size_t limit = max_file_bytes);

// Writes to a temporary name beside `path`, then renames. Creates missing folders.
void write_text(const std::string& path, std::string_view content);

// SHA-256 in hexadecimal, as provenance records it.
std::string sha256(std::string_view bytes);

}  // namespace kdyn::inline base
