// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kdyn/base/error.hpp"
#include "kdyn/io/internal/xlsx.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io {
namespace {

bool is_ole_file(std::string_view content) { return content.starts_with("\xd0\xcf\x11\xe0"); }
bool is_zip_file(std::string_view content) { return content.starts_with("PK\x03\x04"); }

}  // namespace

void internal::SheetRoom::limit(DataTable& table) const {
  constexpr std::size_t free_cells = 50'000, free_text = std::size_t{16} << 20;
  const std::size_t cells = std::min(DataTable::most_cells, std::max(free_cells, xml_)),
                    text = std::min(SpreadsheetLimits{}.part_bytes, std::max(free_text, 20 * xml_));
  table.limit(cells - std::min(cells, cells_), text - std::min(text, text_));
}

bool looks_like_spreadsheet(std::string_view content) { return is_ole_file(content) || is_zip_file(content); }

std::vector<DataTable> read_spreadsheet(std::string_view content, const std::string& name,
                                        const SpreadsheetLimits& limits) {
  if (is_ole_file(content))
    throw_bad_input(name, "this is an old workbook (.xls) or one with a password",
                    "save it as .xlsx without a password, or as CSV");
  if (!is_zip_file(content)) throw_bad_input(name, "this is no spreadsheet (.xlsx or .ods)", "give a workbook");
  internal::ZipParts zip(content, name, limits);
  if (zip.has("xl/workbook.xml") || zip.has("_rels/.rels")) return internal::read_xlsx(zip);
  if (zip.has("content.xml")) return internal::read_ods(zip);
  throw_bad_input(name, "the zip archive holds no workbook", "unpack it and give the files in it");
}

}  // namespace kdyn::inline io
