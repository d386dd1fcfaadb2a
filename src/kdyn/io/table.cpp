// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io {

void DataTable::begin_row(std::size_t line, bool comment) { starts_.push_back({cells_.size(), line, comment}); }

void DataTable::add(std::size_t column, CellKind kind, double number, std::string_view text) {
  demand(!starts_.empty(), "a row is begun before cells are added");
  const std::size_t row = rows() - 1, width = columns(row);
  if (column >= most_columns)
    throw_bad_input(place(row), fmt::format("column {} lies beyond the limit of {}", column + 1, most_columns),
                    "delete the cells far to the right");
  demand(column >= width, "cells of a row come from left to right");
  constexpr std::size_t longest_text = std::size_t{1} << 16;
  text = text.substr(0, longest_text);
  if (cells_.size() + column - width >= limit_)
    throw_bad_input(place(row), fmt::format("more than {} cells, the limit", limit_),
                    "split the table or export the columns that are needed");
  if (text_.size() + text.size() > text_limit_)
    throw_bad_input(place(row), fmt::format("more than {} MB of text, the limit", text_limit_ >> 20),
                    "split the table or export the columns that are needed");
  cells_.resize(cells_.size() + column - width);
  cells_.push_back({number, static_cast<std::uint32_t>(text_.size()),
                    static_cast<std::uint32_t>(text.size() << 3) | static_cast<std::uint32_t>(kind)});
  text_.append(text);
}

DataCell DataTable::at(std::size_t row, std::size_t column) const {
  if (row >= rows() || column >= columns(row)) return {};
  const Held& held = cells_[starts_[row].first + column];
  return {static_cast<CellKind>(held.length_and_kind & 7U), held.number,
          std::string_view(text_).substr(held.offset, held.length_and_kind >> 3)};
}

std::string DataTable::name() const { return sheet.empty() ? file : file + "!" + sheet; }

std::string DataTable::place(std::size_t row) const {
  const std::size_t number = row < rows() ? line(row) : 0;
  return sheet.empty() ? fmt::format("{}:{}", file, number) : fmt::format("{}!{}!{}", file, sheet, number);
}

std::string DataTable::place(std::size_t row, std::size_t column) const {
  if (sheet.empty()) return place(row);
  return fmt::format("{}!{}!{}{}", file, sheet, column_letters(column), row < rows() ? line(row) : 0);
}

std::string column_letters(std::size_t column) {
  std::string letters;
  for (std::size_t n = column + 1; n > 0; n = (n - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (n - 1) % 26));
  return letters;
}

std::string table_csv(const DataTable& table) {
  fmt::memory_buffer out;
  std::size_t line = 1;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    constexpr std::size_t widest_gap = 100'000;  // rows between two tables of a sheet
    for (std::size_t gap = 0; line < table.line(r) && gap < widest_gap; ++line, ++gap) out.push_back('\n');
    if (table.is_comment(r)) fmt::format_to(std::back_inserter(out), "# ");
    for (std::size_t c = 0; c < table.columns(r); ++c) {
      if (c > 0) out.push_back(',');
      const DataCell cell = table.at(r, c);
      if (cell.kind == CellKind::number || cell.kind == CellKind::boolean) {
        fmt::format_to(std::back_inserter(out), "{}", cell.number);
      } else if (cell.kind == CellKind::text || cell.kind == CellKind::date) {
        const bool quoted = cell.text.find_first_of(",\"\n\r") != std::string_view::npos;
        if (quoted) out.push_back('"');
        for (const char c2 : cell.text) {
          if (c2 == '"') out.push_back('"');
          out.push_back(c2 == '\n' || c2 == '\r' ? ' ' : c2);
        }
        if (quoted) out.push_back('"');
      }
    }
    out.push_back('\n');
    ++line;
  }
  return fmt::to_string(out);
}

}  // namespace kdyn::inline io
