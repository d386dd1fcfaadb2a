// SPDX-License-Identifier: Apache-2.0
// Zip archives in memory (libzip).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kdyn::internal {

// Entries in their order, with a fixed date: the same content gives the same bytes.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace kdyn::internal
