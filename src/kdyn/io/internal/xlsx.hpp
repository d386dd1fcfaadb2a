// SPDX-License-Identifier: Apache-2.0
// The two kinds of workbooks behind read_spreadsheet.
#pragma once

#include <string>
#include <vector>

#include "kdyn/io/internal/zip_parts.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io::internal {

std::vector<DataTable> read_xlsx(ZipParts& zip);
std::vector<DataTable> read_ods(ZipParts& zip);

// Days since 1899-12-30 as 2026-03-01T12:00:00.
std::string date_text(double days);

}  // namespace kdyn::inline io::internal
