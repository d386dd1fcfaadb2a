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

// What the sheets of one workbook may hold together. Cells that are repeated, or far to the right, take little XML: beyond
// 50000 cells each must have a byte of it, beyond 16 MB text may be 20 times as long.
class SheetRoom {
 public:
  void add_xml(std::size_t bytes) { xml_ += bytes; }
  void limit(DataTable& table) const;  // what is left for it
  void count(const DataTable& table) { cells_ += table.cells(), text_ += table.text_bytes(); }

 private:
  std::size_t xml_ = 0, cells_ = 0, text_ = 0;
};

// Days since 1899-12-30 as 2026-03-01T12:00:00.
std::string date_text(double days);

}  // namespace kdyn::inline io::internal
