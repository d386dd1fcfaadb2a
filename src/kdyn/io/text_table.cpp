// SPDX-License-Identifier: Apache-2.0
// Delimited text as a table: which mark stands between the cells, and the cells as written.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/cell_numbers.hpp"
#include "kdyn/io/internal/complex_text.hpp"
#include "kdyn/io/internal/csv_cells.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io {
namespace {

using internal::CsvCell;
using internal::CsvLine;

// Comma behind the others: in a file with semicolons or tabs a comma is a decimal comma.
constexpr std::array<char, 5> marks = {'\t', ';', ',', '|', ' '};

// What stands behind a comment sign; nothing for other lines. A file whose first line starts with * or ! has that sign.
std::string_view behind_comment_sign(std::string_view text, char own_sign) {
  text = trim(text);
  if (own_sign != '\0' && text.starts_with(own_sign)) return text.substr(1);
  const auto sign = text.find_first_not_of("#%");
  if (sign > 0 && sign != std::string_view::npos) return text.substr(sign);
  if (text.starts_with("//")) return text.substr(2);
  return sign == std::string_view::npos ? text.substr(text.size()) : std::string_view();
}

bool is_comment_line(std::string_view text, char own_sign) {
  text = trim(text);
  return (own_sign != '\0' && text.starts_with(own_sign)) || text.starts_with('#') || text.starts_with('%') ||
         text.starts_with("//");
}

bool counts_as_number(const CsvCell& cell, char mark) {
  if (cell.text.empty() || cell.text.size() > 40) return false;
  if (mark == ',' && !cell.quoted)
    return parse_number(cell.text).has_value() || internal::split_complex(cell.text).has_value();
  return internal::shape_of(cell.text).is_number || internal::split_complex(cell.text).has_value();
}

// The mark that gives most rows of numbers with equally many cells, weighed by how many numbers they hold.
char choose_mark(const std::vector<std::string_view>& lines) {
  char best = ',';
  double best_score = 0.0;
  for (const char mark : marks) {
    std::map<std::size_t, double> by_width;
    for (const std::string_view line : lines) {
      const auto cells = internal::split_cells(line, mark);
      if (cells.size() < 2 || cells.size() > DataTable::most_columns) continue;
      const auto numbers = std::count_if(cells.begin(), cells.end(),
                                         [mark](const CsvCell& cell) { return counts_as_number(cell, mark); });
      const auto filled =
          std::count_if(cells.begin(), cells.end(), [](const CsvCell& cell) { return !cell.text.empty(); });
      if (numbers >= 2 && 2 * numbers >= filled) by_width[cells.size()] += static_cast<double>(numbers);
    }
    double score = 0.0;
    for (const auto& [width, sum] : by_width) score = std::max(score, sum);
    if (score > best_score * 1.001) best = mark, best_score = score;
  }
  if (best_score > 0.0) return best;
  // No rows of numbers: the mark that most lines hold.
  for (const char mark : {'\t', ';', ','}) {
    const auto count = std::count_if(lines.begin(), lines.end(), [mark](std::string_view line) {
      return line.find(mark) != std::string_view::npos;
    });
    if (2 * static_cast<std::size_t>(count) > lines.size()) return mark;
  }
  return ',';
}

// A cell without doubled quotes: "" stands for ".
std::string plain_quotes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') ++i;
  }
  return out;
}

// Between blanks "Frequency (Hz)" is one name and not two.
std::vector<CsvCell> with_brackets(const std::vector<CsvCell>& cells, std::string_view line) {
  std::vector<CsvCell> out;
  for (const CsvCell& cell : cells) {
    const bool unit = cell.text.size() > 2 && ((cell.text.front() == '(' && cell.text.back() == ')') ||
                                               (cell.text.front() == '[' && cell.text.back() == ']'));
    const std::string_view before = out.empty() ? std::string_view() : out.back().text;
    const bool name = !before.empty() && !out.back().quoted && before.find_first_of("([") == std::string_view::npos &&
                      !internal::shape_of(before).is_number;
    if (unit && name)
      out.back().text = line.substr(static_cast<std::size_t>(before.data() - line.data()),
                                    static_cast<std::size_t>(cell.text.data() + cell.text.size() - before.data()));
    else
      out.push_back(cell);
  }
  return out;
}

void add_cells(DataTable& table, std::string_view line, char mark) {
  std::size_t column = 0;
  std::vector<CsvCell> cells = internal::split_cells(line, mark);
  if (mark == ' ' && line.find_first_of("([") != std::string_view::npos) cells = with_brackets(cells, line);
  for (const CsvCell& cell : cells) {
    if (cell.text.find("\"\"") != std::string_view::npos)
      table.add(column++, CellKind::text, 0.0, plain_quotes(cell.text));
    else
      table.add(column++, cell.text.empty() ? CellKind::empty : CellKind::text, 0.0, cell.text);
  }
}

// Cells with a line break in quotes, as spreadsheets write wrapped titles, on one line each. The breaks follow behind
// the line, so that those below keep their numbers. Looked for near the begin only, and in cells of a title's length:
// a quote that is never closed is a sign for inches. Nothing when there is none.
std::optional<std::string> with_breaks_behind(std::string_view text) {
  constexpr std::size_t searched = std::size_t{1} << 16, longest = 300;
  constexpr int most_breaks = 6;
  constexpr std::string_view before = "\n,;\t|", after = "\r\n,;\t|";
  std::string out;
  std::size_t copied = 0;
  int pending = 0;
  for (std::size_t i = 0; i < std::min(text.size(), searched); ++i) {
    if (text[i] == '\n' && pending > 0) {
      out += text.substr(copied, i - copied);
      out.append(static_cast<std::size_t>(pending), '\n');
      copied = i, pending = 0;
    }
    if (text[i] != '"' || (i > 0 && before.find(text[i - 1]) == std::string_view::npos)) continue;
    std::size_t end = i + 1;
    int breaks = 0;
    const std::size_t stop = std::min(text.size(), i + longest);
    for (; end < stop; ++end) {
      breaks += text[end] == '\n' ? 1 : 0;
      if (text[end] != '"') continue;
      if (end + 1 == text.size() || text[end + 1] != '"') break;
      ++end;
    }
    if (end >= stop || (end + 1 < text.size() && after.find(text[end + 1]) == std::string_view::npos)) continue;
    if (breaks > 0 && breaks <= most_breaks) {
      out += text.substr(copied, i - copied);
      for (const char c : text.substr(i, end - i)) out += c == '\n' || c == '\r' ? ' ' : c;
      copied = end, pending += breaks;
    }
    i = end;
  }
  if (copied == 0) return std::nullopt;
  out += text.substr(copied);
  return out;
}

}  // namespace

DataTable read_text_table(std::string_view utf8, const std::string& name, std::size_t first_bytes) {
  DataTable table;
  table.file = name;
  if (utf8.empty()) throw_bad_input(name, "the file is empty", "give a table with a header row and rows of numbers");
  const char newline =
      utf8.find('\n') == std::string_view::npos && utf8.find('\r') != std::string_view::npos ? '\r' : '\n';
  if (first_bytes > 0 && first_bytes < utf8.size()) {
    const auto end = utf8.rfind(newline, first_bytes);
    utf8 = utf8.substr(0, end == std::string_view::npos ? first_bytes : end);
  }
  const auto joined = newline == '\n' ? with_breaks_behind(utf8) : std::nullopt;
  if (joined) utf8 = *joined;
  const std::string_view begin = trim(utf8.substr(0, 1000));
  const char sign = begin.size() > 1 && (begin[0] == '*' || begin[0] == '!') && begin[1] == ' ' ? begin[0] : '\0';
  constexpr std::size_t sampled = 2000;
  std::vector<std::string_view> sample;
  {
    internal::LineWalker walker(utf8, name, newline, 0, 1);
    for (CsvLine line; walker.next(line);) {
      if (sample.size() < sampled && internal::first_character(line.text) != 0 && !is_comment_line(line.text, sign))
        sample.push_back(line.text);
    }
  }
  table.delimiter = choose_mark(sample);
  table.reserve(static_cast<std::size_t>(std::count(utf8.begin(), utf8.end(), table.delimiter) +
                                         std::count(utf8.begin(), utf8.end(), newline)) +
                1);
  internal::LineWalker walker(utf8, name, newline, 0, 1);
  for (CsvLine line; walker.next(line);) {
    if (internal::first_character(line.text) == 0) continue;
    const bool comment = is_comment_line(line.text, sign);
    table.begin_row(line.number, comment);
    add_cells(table, comment ? behind_comment_sign(line.text, sign) : line.text, table.delimiter);
  }
  return table;
}

}  // namespace kdyn::inline io
