// SPDX-License-Identifier: Apache-2.0
// A table as a file holds it, before anybody says what its columns mean: cells of text, numbers or nothing, with their
// places.
//
// Fed by delimited text (one table) and by spreadsheets (.xlsx, .ods: one table for each sheet). Text of a spreadsheet
// and of delimited text is UTF-8. Numbers of delimited text stay text here: whether 1,234 is one thousand is told by
// the whole column (internal/cell_numbers.hpp). Rows are ragged; a cell that is not there is empty. Rows without any
// cell are left out, the rest keep their line or row number.
//
// Whatever the bytes are, reading returns or throws Error with file, file:line or file!sheet!cell and a remedy. Limits
// are named below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

enum class CellKind : std::uint8_t { empty, text, number, date, boolean, error };

// What a cell holds. `text` is what is written (dates as 2026-03-01T12:00:00, errors as #DIV/0!); it lives as long as
// the table.
struct DataCell {
  CellKind kind = CellKind::empty;
  double number = 0.0;  // of numbers, dates (days since 1899-12-30) and booleans
  std::string_view text;
};

// A rectangle of cells that are shown as one; only its upper left corner holds a value. Counted from 0, both ends
// included.
struct MergedCells {
  std::size_t first_row = 0, first_column = 0, last_row = 0, last_column = 0;
};

class DataTable {
 public:
  std::string file;                 // name for messages
  std::string sheet;                // empty for delimited text
  bool hidden = false;              // a hidden sheet
  char delimiter = '\0';            // of delimited text
  std::vector<MergedCells> merged;  // in rows and columns of the sheet, not of the rows held here
  std::vector<Finding> findings;

  static constexpr std::size_t most_cells = 5'000'000;
  static constexpr std::size_t most_columns = 16'384;
  static constexpr std::size_t most_text = std::size_t{512} << 20;  // bytes

  // A smaller limit than these for what is still to come.
  void limit(std::size_t cells, std::size_t text_bytes) { limit_ = cells, text_limit_ = text_bytes; }
  void reserve(std::size_t cells) { cells_.reserve(cells < most_cells ? cells : most_cells); }
  // Rows are added in order of `line` (counted from 1); a comment is a line behind #, % or //.
  void begin_row(std::size_t line, bool comment = false);
  // Puts a cell at `column` of the last row; columns rise within a row. Throws beyond the limits.
  void add(std::size_t column, CellKind kind, double number, std::string_view text);

  std::size_t rows() const { return starts_.size(); }
  std::size_t columns(std::size_t row) const { return end(row) - starts_[row].first; }
  bool is_comment(std::size_t row) const { return starts_[row].comment; }
  std::size_t line(std::size_t row) const { return starts_[row].line; }
  DataCell at(std::size_t row, std::size_t column) const;
  std::size_t cells() const { return cells_.size(); }
  std::size_t text_bytes() const { return text_.size(); }

  std::string name() const;                                      // "file" or "file!sheet"
  std::string place(std::size_t row) const;                      // "file:12" or "file!sheet!12"
  std::string place(std::size_t row, std::size_t column) const;  // "file:12" or "file!sheet!B12"

 private:
  struct RowStart {
    std::size_t first = 0, line = 0;
    bool comment = false;
  };
  struct Held {
    double number = 0.0;
    std::uint32_t offset = 0;
    std::uint32_t length_and_kind = 0;  // kind in the lowest three bits
  };
  std::size_t end(std::size_t row) const { return row + 1 < starts_.size() ? starts_[row + 1].first : cells_.size(); }

  std::size_t limit_ = most_cells, text_limit_ = most_text;
  std::vector<RowStart> starts_;
  std::vector<Held> cells_;
  std::string text_;
};

// "A", "B", ..., "Z", "AA": columns of a sheet, counted from 0.
std::string column_letters(std::size_t column);

// Any text as UTF-8: byte order marks, UTF-16 with or without mark, UTF-8; what is no UTF-8 is taken for Windows-1252
// (a superset of Latin-1).
struct DecodedText {
  std::string text;  // empty when `content` was plain UTF-8 without mark: then use it as it is
  const char* encoding = "UTF-8";
  bool converted = false;
};
DecodedText decode_text(std::string_view content);
// Bytes that are no text in any of these encodings (control characters, NUL that is no half of UTF-16).
bool looks_binary(std::string_view content);

// Delimited text as a table. `first_bytes` > 0 reads no further than the last whole line before that byte: for a first
// look at a large file.
DataTable read_text_table(std::string_view utf8, const std::string& name, std::size_t first_bytes = 0);

// Sheets of a workbook in its order, hidden ones marked. Throws Error(bad_input): no spreadsheet, damaged, encrypted,
// too large when unpacked.
struct SpreadsheetLimits {
  std::size_t part_bytes = std::size_t{256} << 20;   // one part, unpacked
  std::size_t total_bytes = std::size_t{512} << 20;  // all parts that are read
  std::size_t free_bytes = std::size_t{16} << 20;    // below this any ratio is allowed
  double ratio = 500.0;                              // unpacked over packed
  std::size_t entries = 10'000;
};
std::vector<DataTable> read_spreadsheet(std::string_view content, const std::string& name,
                                        const SpreadsheetLimits& limits = {});
bool looks_like_spreadsheet(std::string_view content);  // a zip archive with a workbook in it, or an old OLE workbook

// A table as CSV text with a comma, decimal points and one line for each row of the sheet, so that line numbers are row
// numbers: what readers of delimited text take. Cells with errors are empty.
std::string table_csv(const DataTable& table);

}  // namespace kdyn::inline io
