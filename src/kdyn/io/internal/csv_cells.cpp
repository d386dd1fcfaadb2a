// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/csv_cells.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {

void LineWalker::refuse_length(std::size_t length) const {
  throw_bad_input(line_place(name_, number_),
                  fmt::format("line has {} bytes, the limit is {}", length, csv_max_line_bytes),
                  "is this a text file with one row of numbers on each line?");
}

CsvCell take_cell(std::string_view line, char delimiter, std::size_t& position) {
  const auto ends_cell = [delimiter](char c) { return c == delimiter || (delimiter == ' ' && c == '\t'); };
  while (position < line.size() && is_blank(line[position]) && !(delimiter == '\t' && line[position] == '\t'))
    ++position;
  CsvCell cell;
  if (position < line.size() && line[position] == '"') {
    const std::size_t begin = ++position;
    // A doubled quote stands for one quote inside the cell.
    while (position < line.size() &&
           (line[position] != '"' || (position + 1 < line.size() && line[position + 1] == '"')))
      position += line[position] == '"' ? 2 : 1;
    cell.quoted = true;
    cell.unterminated = position >= line.size();
    cell.text = trim(line.substr(begin, position - begin));
    if (cell.unterminated) return cell;
    const std::size_t close = position++;
    while (position < line.size() && !ends_cell(line[position])) ++position;
    if (!trim(line.substr(close + 1, position - close - 1)).empty())
      cell = {trim(line.substr(begin - 1, position - begin + 1)), false, false};
    return cell;
  }
  const std::size_t begin = position;
  while (position < line.size() && !ends_cell(line[position])) ++position;
  cell.text = trim(line.substr(begin, position - begin));
  return cell;
}

std::vector<CsvCell> split_cells(std::string_view line, char delimiter) {
  std::vector<CsvCell> cells;
  std::size_t position = 0;
  if (delimiter == ' ') line = trim(line);
  if (line.empty()) return cells;
  while (true) {
    cells.push_back(take_cell(line, delimiter, position));
    if (position >= line.size()) return cells;
    ++position;
  }
}

bool is_number(const CsvCell& cell, char delimiter) {
  if (cell.text.empty() || cell.text.size() > 64) return false;
  if (parse_number(cell.text)) return true;
  if (delimiter == ',' && !cell.quoted) return false;
  std::string copy(cell.text);
  std::replace(copy.begin(), copy.end(), ',', '.');
  return parse_number(copy).has_value();
}

std::string line_place(const std::string& name, std::size_t line) { return fmt::format("{}:{}", name, line); }

}  // namespace kdyn::inline io::internal
