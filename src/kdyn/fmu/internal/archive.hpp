// SPDX-License-Identifier: Apache-2.0
// Zip archives in memory (libzip).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kdyn::inline fmu::internal {

// Entries in their order, with a fixed date: the same content gives the same bytes.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& entries);

// The content of an entry; empty when the bytes are no zip archive, or there is no such entry, or it is longer than
// `largest`.
std::string zip_entry(const std::string& archive, const std::string& name, std::size_t largest);

}  // namespace kdyn::inline fmu::internal
