// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/whole_columns.hpp"

#include <algorithm>

#include "kdyn/base/error.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/csv_cells.hpp"

namespace kdyn::inline io::internal {
namespace {

// Where the first row of numbers is.
CsvLayout layout_of(std::string_view text, const DataTable& head, const TableBlock& rows) {
  CsvLayout layout;
  layout.name = head.file;
  layout.delimiter = head.delimiter;
  layout.newline = text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos ? '\r' : '\n';
  const std::size_t first = rows.rows.front();
  layout.data_line = head.line(first);
  layout.header_line = rows.header.empty() ? layout.data_line : head.line(rows.header.back());
  LineWalker walker(text, layout.name, layout.newline, 0, 1);
  for (CsvLine line; walker.next(line);)
    if (line.number == layout.data_line) {
      layout.data_offset = line.offset;
      break;
    }
  for (std::size_t c = 0; c < head.columns(first); ++c) layout.columns.push_back(column_letters(c));
  return layout;
}

}  // namespace

bool read_whole_columns(std::string_view text, const DataTable& head, const TableBlock& rows, DataBlock& block,
                        std::vector<Finding>& findings) {
  if (!block.row_parts.empty() || !block.row_directions.empty()) return false;
  const CsvLayout layout = layout_of(text, head, rows);
  std::vector<std::size_t> wanted;
  for (const DataColumn& column : block.columns) {
    if (column.index >= layout.columns.size() || std::count(wanted.begin(), wanted.end(), column.index) > 0)
      return false;
    wanted.push_back(column.index);
  }
  try {
    CsvTable table = read_csv_columns(text, layout, wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::vector<double>& seen = block.columns[i].values;
      if (table.rows < seen.size() || !std::equal(seen.begin(), seen.end(), table.columns[i].begin())) return false;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) block.columns[i].values = std::move(table.columns[i]);
    block.rows = table.rows;
    block.lines = std::move(table.lines);
    findings.insert(findings.end(), table.findings.begin(), table.findings.end());
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace kdyn::inline io::internal
