// SPDX-License-Identifier: Apache-2.0
// Lines and cells of delimited text, shared by the detection of the layout and the reading of the rows.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/csv.hpp"

namespace kdyn::inline io::internal {

struct CsvLine {
  std::string_view text;   // without line end
  std::size_t offset = 0;  // of its first byte
  std::size_t number = 0;  // counted from 1
  std::size_t next = 0;    // offset of the line after it
};

// Walks over lines; a line beyond csv_max_line_bytes throws before it is looked at.
class LineWalker {
 public:
  LineWalker(std::string_view content, const std::string& name, char newline, std::size_t offset, std::size_t line)
      : content_(content),
        name_(name),
        newline_(newline),
        offset_(offset),
        number_(line) {}

  bool next(CsvLine& line) {
    if (offset_ >= content_.size()) return false;
    const char* begin = content_.data() + offset_;
    const std::size_t left = content_.size() - offset_;
    const void* end = std::memchr(begin, newline_, left);
    const std::size_t length = end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - begin) : left;
    if (length > csv_max_line_bytes) refuse_length(length);
    line.text = std::string_view(begin, length);
    if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
    line.offset = offset_;
    line.number = number_++;
    line.next = offset_ = end != nullptr ? offset_ + length + 1 : content_.size();
    return true;
  }

 private:
  [[noreturn]] void refuse_length(std::size_t length) const;

  std::string_view content_;
  const std::string& name_;
  char newline_;
  std::size_t offset_, number_;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// First character that is not a blank; 0 for a blank line.
inline char first_character(std::string_view line) {
  for (const char c : line)
    if (!is_blank(c)) return c;
  return 0;
}

// One cell as written: outer blanks and quotes removed.
struct CsvCell {
  std::string_view text;
  bool quoted = false;
  bool unterminated = false;  // a quote was opened and not closed on this line
};

// Reads the cell that starts at `position` and moves on to its delimiter or to the end of the line.
CsvCell take_cell(std::string_view line, char delimiter, std::size_t& position);

std::vector<CsvCell> split_cells(std::string_view line, char delimiter);

// A number with decimal point, or with decimal comma where the comma cannot be the delimiter. NaN and inf count as
// numbers here.
bool is_number(const CsvCell& cell, char delimiter);

// "file:line"
std::string line_place(const std::string& name, std::size_t line);

}  // namespace kdyn::inline io::internal
