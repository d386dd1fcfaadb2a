// SPDX-License-Identifier: Apache-2.0
// The rows of a detected table as columns of numbers, parsed straight from the buffer.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/double_chars.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/csv_cells.hpp"

namespace kdyn::inline io {
namespace {

using internal::CsvCell;
using internal::CsvLine;
using internal::is_blank;
using internal::line_place;

class RowReader {
 public:
  RowReader(const CsvLayout& layout, const std::vector<std::size_t>& wanted, CsvTable& table)
      : layout_(layout),
        table_(table),
        slot_(layout.columns.size(), -1) {
    for (std::size_t i = 0; i < wanted.size(); ++i) slot_[wanted[i]] = static_cast<int>(i);
  }

  void read(const CsvLine& line) {
    line_ = &line;
    const std::string_view text = layout_.delimiter == ' ' ? trim(line.text) : line.text;
    const std::size_t columns = slot_.size();
    std::size_t position = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      if (slot_[c] >= 0)
        table_.columns[static_cast<std::size_t>(slot_[c])].push_back(number(text, position, c));
      else
        skip(text, position);
      const bool at_end = position >= text.size();
      if (c + 1 < columns) {
        if (at_end) refuse_width(c + 1);
        ++position;
      } else if (!at_end) {
        check_rest(text, position);
      }
    }
  }

  std::size_t trailing_delimiters() const { return trailing_; }
  std::size_t decimal_comma_line() const { return decimal_comma_line_; }

 private:
  enum class Decimal { unknown, point, comma };

  double number(std::string_view text, std::size_t& position, std::size_t column) {
    const char* const end = text.data() + text.size();
    const char* begin = text.data() + position;
    while (begin != end && is_blank(*begin) && !(*begin == '\t' && layout_.delimiter == '\t')) ++begin;
    if (decimal_ == Decimal::comma) return number_with_comma(text, position, column, begin);
    double value = 0.0;
    const auto [stop, ec] = double_from_chars(begin, end, value);
    const bool whole = ec == std::errc() && (stop == end || *stop == layout_.delimiter) && std::isfinite(value);
    if (whole &&
        (decimal_ == Decimal::point || std::memchr(begin, '.', static_cast<std::size_t>(stop - begin)) == nullptr)) {
      position = static_cast<std::size_t>(stop - text.data());
      return value;
    }
    return careful_number(text, position, column);
  }

  // The plain cell of a file with decimal commas: only the comma stands between it and from_chars.
  double number_with_comma(std::string_view text, std::size_t& position, std::size_t column, const char* begin) {
    const char* const end = text.data() + text.size();
    char copy[32];
    std::size_t length = 0;
    const char* stop = begin;
    for (; stop != end && *stop != layout_.delimiter && *stop != '.' && length < sizeof copy; ++stop)
      copy[length++] = *stop == ',' ? '.' : *stop;
    double value = 0.0;
    const auto [parsed, ec] = double_from_chars(copy, copy + length, value);
    if (ec == std::errc() && parsed == copy + length && (stop == end || *stop == layout_.delimiter) &&
        std::isfinite(value)) {
      position = static_cast<std::size_t>(stop - text.data());
      return value;
    }
    return careful_number(text, position, column);
  }

  // Quotes, decimal comma, blanks behind the number, a plus sign, an exponent with D; or an error.
  double careful_number(std::string_view text, std::size_t& position, std::size_t column) {
    const CsvCell cell = internal::take_cell(text, layout_.delimiter, position);
    if (cell.unterminated)
      refuse(column, fmt::format("opens a quote that is not closed: {}", in_quotes(cell.text)),
             "close the quote on the same line");
    if (layout_.gaps && (cell.text.empty() || lower_case(cell.text) == "nan"))
      return std::numeric_limits<double>::quiet_NaN();
    if (cell.text.empty()) refuse(column, "is empty", "fill in the number or delete the row");
    const bool comma = cell.text.find(',') != std::string_view::npos;
    const bool point = cell.text.find('.') != std::string_view::npos;
    std::optional<double> value;
    if (cell.text.size() <= 64) {
      if (comma && !point) {
        std::string copy(cell.text);
        copy[copy.find(',')] = '.';
        value = parse_number(copy);
      } else if (!comma) {
        value = parse_number(cell.text);
      }
    }
    if (!value)
      refuse(column, fmt::format("holds {}, which is not a number", in_quotes(cell.text)),
             "write a plain number, or delete the row");
    if (!std::isfinite(*value))
      refuse(column, fmt::format("holds {}, which is not a finite number", in_quotes(cell.text)),
             "delete the row or repair the measurement");
    if (comma || point) note_decimal(comma ? Decimal::comma : Decimal::point, cell.text, column);
    return *value;
  }

  // 1,234 among numbers with points is more likely one thousand than one and a bit: never guess.
  void note_decimal(Decimal seen, std::string_view text, std::size_t column) {
    if (decimal_ == Decimal::unknown) {
      decimal_ = seen;
      if (seen == Decimal::comma) decimal_comma_line_ = line_->number;
    }
    if (decimal_ != seen)
      refuse(column, fmt::format("holds {}: decimal commas and decimal points are mixed in one file", in_quotes(text)),
             "write all numbers with a decimal point and without thousands separators");
  }

  void skip(std::string_view text, std::size_t& position) const {
    if (layout_.delimiter == ' ' || (position < text.size() && (text[position] == '"' || is_blank(text[position])))) {
      internal::take_cell(text, layout_.delimiter, position);
    } else {
      const auto end = text.find(layout_.delimiter, position);
      position = end == std::string_view::npos ? text.size() : end;
    }
  }

  void check_rest(std::string_view text, std::size_t position) {
    std::size_t cells = slot_.size();
    bool empty = true;
    while (position < text.size()) {
      ++position;
      empty = internal::take_cell(text, layout_.delimiter, position).text.empty() && empty;
      ++cells;
    }
    if (!empty) refuse_width(cells);
    ++trailing_;
  }

  [[noreturn]] void refuse(std::size_t column, const std::string& message, const char* remedy) const {
    throw_bad_input(line_place(layout_.name, line_->number),
                    fmt::format("column {} {}", in_quotes(layout_.columns[column]), message), remedy);
  }

  [[noreturn]] void refuse_width(std::size_t cells) const {
    throw_bad_input(
        line_place(layout_.name, line_->number),
        fmt::format("row has {} cells, the header on line {} has {} columns: {}", cells, layout_.header_line,
                    slot_.size(), in_quotes(line_->text)),
        layout_.delimiter == ','
            ? "give every row as many cells as the header; a decimal comma needs ';' or tab between the columns"
            : "give every row as many cells as the header");
  }

  const CsvLayout& layout_;
  CsvTable& table_;
  std::vector<int> slot_;
  const CsvLine* line_ = nullptr;
  Decimal decimal_ = Decimal::unknown;
  std::size_t trailing_ = 0, decimal_comma_line_ = 0;
};

// No more than the rest of the file can hold: a cell needs a character and a delimiter.
std::size_t most_rows(std::string_view rest, const CsvLayout& layout) {
  const auto lines = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), layout.newline)) + 1;
  return std::min({lines, rest.size() / (2 * layout.columns.size()) + 1, csv_max_rows});
}

}  // namespace

CsvTable read_csv_columns(std::string_view content, const CsvLayout& layout, const std::vector<std::size_t>& wanted) {
  CsvTable table;
  table.columns.resize(wanted.size());
  const std::size_t capacity = most_rows(content.substr(layout.data_offset), layout);
  for (auto& column : table.columns) column.reserve(capacity);

  RowReader reader(layout, wanted, table);
  internal::LineWalker walker(content, layout.name, layout.newline, layout.data_offset, layout.data_line);
  for (CsvLine line; walker.next(line);) {
    const char first = internal::first_character(line.text);
    if (first == 0 || first == '#') continue;
    if (table.rows == csv_max_rows)
      throw_bad_input(line_place(layout.name, line.number), fmt::format("more than {} rows, the limit", csv_max_rows),
                      "thin the data out or split the file");
    reader.read(line);
    table.lines.add(table.rows++, line.number);
  }
  if (table.rows == 0)
    throw_bad_input(line_place(layout.name, layout.header_line), "header without rows",
                    "add rows of numbers below the header");

  if (const std::size_t line = reader.decimal_comma_line())
    table.findings.push_back(
        {Severity::note, "decimal_comma", line_place(layout.name, line), "numbers were read with a decimal comma", ""});
  if (const std::size_t count = reader.trailing_delimiters())
    table.findings.push_back({Severity::note, "trailing_delimiter", line_place(layout.name, layout.data_line),
                              fmt::format("{} of {} rows end with empty cells, which were ignored", count, table.rows),
                              ""});
  return table;
}

}  // namespace kdyn::inline io
