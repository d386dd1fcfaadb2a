// SPDX-License-Identifier: Apache-2.0
// Delimited text as test benches write it: where the table starts, what its columns are called, and the columns as
// numbers.
//
// Detected, not assumed: delimiter (comma, semicolon, tab, blanks), decimal comma, header row, units row, line ends,
// byte order mark, lines before the header. Lines that start with # are comments. What was forgiven is told in
// findings. Refused with file:line: text or an empty cell in a column that is asked for, NaN, inf, too few or too many
// cells, UTF-16, binary data. Only the columns that are asked for are parsed and held, so text in other columns does no
// harm.
//
// It knows nothing of quantities and units (bench_tables.hpp does). It does not read quoted cells that span lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

inline constexpr std::size_t csv_max_rows = 50'000'000;
inline constexpr std::size_t csv_max_line_bytes = std::size_t{1} << 16;
inline constexpr std::size_t csv_max_columns = 1000;
inline constexpr std::size_t csv_header_search_lines =
    200;  // the header is among the first lines that are neither blank nor comment

// Where the table is and how its cells are written.
struct CsvLayout {
  std::string name;                  // of the file, for messages
  char delimiter = ',';              // ',', ';', tab, or ' ' for runs of blanks
  char newline = '\n';               // '\r' for files of old Macintosh programs
  std::vector<std::string> columns;  // names as written
  std::vector<std::string> units;    // of the units row, as long as columns; empty when there is no such row
  std::size_t header_line = 0;
  std::size_t units_line = 0;   // 0: none
  std::size_t data_offset = 0;  // first byte after header and units row
  std::size_t data_line = 0;    // its line number
  bool gaps = false;            // empty cells and the word NaN are read as NaN instead of being refused
  std::vector<Finding> findings;
};

// True when these cells look like the column names the caller hopes for. It helps to find the header below other text.
using HeaderTest = std::function<bool(const std::vector<std::string>& cells)>;

CsvLayout detect_csv(std::string_view content, const std::string& name, const HeaderTest& is_header = {});

struct CsvTable {
  std::vector<std::vector<double>> columns;  // in the order they were asked for
  LineNumbers lines;                         // file line of each row
  std::size_t rows = 0;
  std::vector<Finding> findings;
};

// Parses the columns with these indices into layout.columns.
CsvTable read_csv_columns(std::string_view content, const CsvLayout& layout, const std::vector<std::size_t>& wanted);

}  // namespace kdyn::inline io
