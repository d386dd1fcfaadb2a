// SPDX-License-Identifier: Apache-2.0
// Where the table of a text file starts and how its cells are written.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/csv_cells.hpp"

namespace kdyn::inline io {
namespace {

using internal::CsvCell;
using internal::CsvLine;
using internal::line_place;

constexpr const char* expected = "expected a header row with column names, then one row of numbers on each line";

// Formats that are mistaken for text, by their first bytes.
void refuse_other_formats(std::string_view content, const std::string& name) {
  const auto starts = [content](std::string_view magic) { return content.substr(0, magic.size()) == magic; };
  if (content.empty()) throw_bad_input(name, "the file is empty", expected);
  if (starts("\xff\xfe") || starts("\xfe\xff"))
    throw_bad_input(name, "the file is UTF-16 text, kdyn reads UTF-8 and plain ASCII",
                    "save it again as UTF-8 or as plain CSV");
  if (starts("PK\x03\x04"))
    throw_bad_input(name, "the file is a zip archive, perhaps a spreadsheet (.xlsx, .ods)", "export the sheet as CSV");
  if (starts("\x89HDF") || starts("MATLAB 5.0"))
    throw_bad_input(name, "the file is binary (HDF5 or MATLAB)", "export the channels as CSV");
  if (const auto nul = content.find('\0'); nul != std::string_view::npos) {
    const auto line = 1 + std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    throw_bad_input(line_place(name, static_cast<std::size_t>(line)),
                    fmt::format("byte {} is NUL: the file is binary or UTF-16, not plain text", nul),
                    "export it as CSV in UTF-8");
  }
}

struct Sample {
  std::vector<CsvLine> lines;     // neither blank nor comment
  std::vector<CsvLine> comments;  // before the first of them that could be data
};

Sample take_sample(std::string_view content, const std::string& name, char newline, std::size_t offset) {
  Sample sample;
  internal::LineWalker walker(content, name, newline, offset, 1);
  for (CsvLine line; sample.lines.size() < csv_header_search_lines && walker.next(line);) {
    const char first = internal::first_character(line.text);
    if (first == '#' && sample.lines.empty()) {
      if (sample.comments.size() == csv_header_search_lines) sample.comments.erase(sample.comments.begin());
      sample.comments.push_back(line);
    } else if (first != 0 && first != '#') {
      sample.lines.push_back(line);
    }
  }
  return sample;
}

std::vector<std::string> names_of(const std::vector<CsvCell>& cells) {
  std::vector<std::string> names;
  names.reserve(cells.size());
  for (const CsvCell& cell : cells) names.emplace_back(cell.text);
  while (!names.empty() && names.back().empty()) names.pop_back();  // a delimiter at the end of the line
  return names;
}

bool any_number(const std::vector<CsvCell>& cells, char delimiter) {
  return std::any_of(cells.begin(), cells.end(),
                     [delimiter](const CsvCell& cell) { return internal::is_number(cell, delimiter); });
}

bool mostly_numbers(const std::vector<CsvCell>& cells, char delimiter) {
  const auto numbers = std::count_if(cells.begin(), cells.end(),
                                     [delimiter](const CsvCell& c) { return internal::is_number(c, delimiter); });
  return cells.size() >= 2 && 2 * static_cast<std::size_t>(numbers) >= cells.size();
}

// In text with blanks between the columns, "force [N]" is one name and not two.
std::vector<std::string> join_bracketed(std::vector<std::string> names) {
  std::vector<std::string> joined;
  for (std::string& name : names)
    if (!joined.empty() && !name.empty() && (name.front() == '[' || name.front() == '('))
      joined.back().append(1, ' ').append(name);
    else
      joined.push_back(std::move(name));
  return joined;
}

// The names in a line when it can be a header: no numbers in it and at least two columns.
std::optional<std::vector<std::string>> header_names(std::string_view line, char delimiter) {
  const auto cells = internal::split_cells(line, delimiter);
  if (cells.size() > csv_max_columns || any_number(cells, delimiter)) return std::nullopt;
  auto names = names_of(cells);
  if (delimiter == ' ') names = join_bracketed(std::move(names));
  if (names.size() < 2) return std::nullopt;
  return names;
}

std::string_view without_brackets(std::string_view text) {
  if (text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
    return trim(text.substr(1, text.size() - 2));
  return text;
}

// The units in a line when it is a units row: no numbers, at most one cell for each column, and a unit among them.
std::optional<std::vector<std::string>> units_row(std::string_view line, char delimiter, std::size_t columns) {
  const auto cells = internal::split_cells(line, delimiter);
  if (any_number(cells, delimiter)) return std::nullopt;
  std::vector<std::string> units;
  bool known = false;
  for (const CsvCell& cell : cells) {
    units.emplace_back(without_brackets(cell.text));
    known = known || parse_unit(units.back()).has_value();
  }
  while (units.size() > columns && units.back().empty()) units.pop_back();
  if (!known || units.size() > columns) return std::nullopt;
  units.resize(columns);
  return units;
}

struct Choice {
  std::size_t index = 0;  // of the header in the sample
  char delimiter = ',';
};

// Comma last among the marks: in a file with semicolons or tabs a comma is a decimal comma.
constexpr char delimiters[] = {'\t', ';', ',', ' '};

// A line whose names the caller knows.
std::optional<Choice> choose_by_names(const Sample& sample, const HeaderTest& is_header) {
  if (!is_header) return std::nullopt;
  for (const char delimiter : delimiters)
    for (std::size_t i = 0; i < sample.lines.size(); ++i)
      if (const auto names = header_names(sample.lines[i].text, delimiter); names && is_header(*names))
        return Choice{i, delimiter};
  return std::nullopt;
}

// The first line of names, perhaps a units row, then numbers, all with as many columns.
std::optional<Choice> choose_by_shape(const Sample& sample) {
  for (const char delimiter : delimiters)
    for (std::size_t i = 0; i + 1 < sample.lines.size(); ++i) {
      const auto names = header_names(sample.lines[i].text, delimiter);
      if (!names) continue;
      std::size_t data = i + 1;
      if (data + 1 < sample.lines.size() && units_row(sample.lines[data].text, delimiter, names->size())) ++data;
      const auto cells = internal::split_cells(sample.lines[data].text, delimiter);
      if (mostly_numbers(cells, delimiter) && (cells.size() == names->size() || cells.size() == names->size() + 1))
        return Choice{i, delimiter};
    }
  return std::nullopt;
}

// Nothing fits: the first line that could be a header, so that the rows below it are named as what is wrong.
std::optional<Choice> choose_any(const Sample& sample) {
  for (std::size_t i = 0; i < sample.lines.size(); ++i)
    for (const char delimiter : delimiters)
      if (header_names(sample.lines[i].text, delimiter)) return Choice{i, delimiter};
  return std::nullopt;
}

// np.savetxt and its kin write the names behind a comment sign right above the numbers.
std::optional<char> header_in_comment(const Sample& sample, const HeaderTest& is_header) {
  if (sample.comments.empty() || sample.lines.empty()) return std::nullopt;
  std::string_view text = trim(sample.comments.back().text);
  text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
  for (const char delimiter : delimiters) {
    const auto names = header_names(text, delimiter);
    if (!names || (is_header && !is_header(*names))) continue;
    const auto cells = internal::split_cells(sample.lines.front().text, delimiter);
    if (mostly_numbers(cells, delimiter) && cells.size() == names->size()) return delimiter;
  }
  return std::nullopt;
}

std::string delimiter_name(char delimiter) {
  switch (delimiter) {
    case ';': return "semicolons";
    case '\t': return "tabs";
    case ' ': return "blanks";
    default: return "commas";
  }
}

void add_note(CsvLayout& layout, const char* code, std::size_t line, std::string message, std::string remedy) {
  layout.findings.push_back(
      {Severity::note, code, line_place(layout.name, line), std::move(message), std::move(remedy)});
}

void check_header(const CsvLayout& layout, std::string_view line) {
  for (const CsvCell& cell : internal::split_cells(line, layout.delimiter))
    if (cell.unterminated)
      throw_bad_input(line_place(layout.name, layout.header_line),
                      fmt::format("quote is not closed: {}", in_quotes(cell.text)), "close the quote on the same line");
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    if (layout.columns[i].empty())
      throw_bad_input(line_place(layout.name, layout.header_line), fmt::format("column {} has no name", i + 1),
                      "give every column a name");
}

void take_names(CsvLayout& layout, std::string_view text, const CsvLine& line) {
  layout.columns = *header_names(text, layout.delimiter);
  layout.header_line = line.number;
  layout.data_offset = line.next;
  layout.data_line = line.number + 1;
  check_header(layout, text);
}

}  // namespace

CsvLayout detect_csv(std::string_view content, const std::string& name, const HeaderTest& is_header) {
  refuse_other_formats(content, name);
  CsvLayout layout;
  layout.name = name;
  const bool marked = content.substr(0, 3) == "\xef\xbb\xbf";
  if (content.find('\n') == std::string_view::npos && content.find('\r') != std::string_view::npos)
    layout.newline = '\r';
  const Sample sample = take_sample(content, name, layout.newline, marked ? 3 : 0);
  if (sample.lines.empty()) throw_bad_input(name, "the file holds no table, only blank lines or comments", expected);

  std::optional<Choice> choice = choose_by_names(sample, is_header);
  const std::optional<char> in_comment = choice ? std::nullopt : header_in_comment(sample, is_header);
  if (!choice && !in_comment) choice = choose_by_shape(sample);
  if (!choice && !in_comment) choice = choose_any(sample);

  if (choice) {
    const CsvLine& line = sample.lines[choice->index];
    layout.delimiter = choice->delimiter;
    take_names(layout, line.text, line);
    if (choice->index + 1 < sample.lines.size()) {
      const CsvLine& next = sample.lines[choice->index + 1];
      if (auto units = units_row(next.text, layout.delimiter, layout.columns.size())) {
        layout.units = std::move(*units);
        layout.units_line = next.number;
        layout.data_offset = next.next;
        layout.data_line = next.number + 1;
      }
    }
    if (choice->index > 0)
      add_note(
          layout, "preamble_skipped", sample.lines.front().number,
          fmt::format("{} lines of text above the header on line {} were skipped", choice->index, layout.header_line),
          "start such lines with # to make them comments");
  } else if (in_comment) {
    const CsvLine& line = sample.comments.back();
    std::string_view text = trim(line.text);
    text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
    layout.delimiter = *in_comment;
    take_names(layout, text, line);
    add_note(layout, "header_in_comment", line.number, "the column names were taken from the comment above the numbers",
             "");
  } else {
    const CsvLine& first = sample.lines.front();
    const bool numbers = any_number(internal::split_cells(first.text, ' '), ' ') ||
                         any_number(internal::split_cells(first.text, ','), ',');
    throw_bad_input(line_place(name, first.number),
                    fmt::format("{}: {}", numbers ? "no header row, the file starts with numbers" : "no table found",
                                in_quotes(first.text)),
                    expected);
  }

  std::vector<std::string> departures;
  if (layout.delimiter != ',') departures.push_back(delimiter_name(layout.delimiter) + " between the columns");
  if (marked) departures.emplace_back("a byte order mark");
  if (layout.newline == '\r') departures.emplace_back("carriage returns as line ends");
  if (content[layout.data_offset > 1 ? layout.data_offset - 2 : 0] == '\r')
    departures.emplace_back("Windows line ends");
  if (!departures.empty())
    add_note(layout, "text_format", layout.header_line, "read with " + join(departures, ", "), "");
  return layout;
}

}  // namespace kdyn::inline io
