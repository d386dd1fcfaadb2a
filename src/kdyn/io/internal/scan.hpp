// SPDX-License-Identifier: Apache-2.0
// What text readers share: lines with their place, numbers as Fortran programs write them, and the bound on what a file
// may ask for.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace kdyn::inline io::internal {

// No reader holds more than this for a file, whatever the file claims: 20 times its size, and 1 MB for tiny ones.
constexpr std::size_t allowed_bytes(std::size_t file_bytes) {
  return file_bytes > (std::size_t{1} << 20) / 20 ? 20 * file_bytes : std::size_t{1} << 20;
}

struct TextLine {
  std::string_view text;   // without line end
  std::size_t offset = 0;  // of its first byte
  std::size_t number = 0;  // counted from 1
};

// Walks over the lines of a text; LF and CR LF end a line. It can be put back to a line that was read.
class TextLines {
 public:
  explicit TextLines(std::string_view content) : content_(content) {}

  bool next(TextLine& line) {
    if (position_ >= content_.size()) return false;
    const char* begin = content_.data() + position_;
    const std::size_t left = content_.size() - position_;
    const void* end = std::memchr(begin, '\n', left);
    const std::size_t length = end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - begin) : left;
    line = {std::string_view(begin, length), position_, ++number_};
    if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
    position_ += length + (end != nullptr ? 1 : 0);
    return true;
  }
  void put_back(const TextLine& line) { position_ = line.offset, number_ = line.number - 1; }
  // Goes on at a byte behind the current one; used after binary data, where lines are not counted.
  void skip_to(std::size_t offset) { position_ = offset < content_.size() ? offset : content_.size(); }

  std::size_t position() const { return position_; }
  std::size_t number() const { return number_; }
  std::size_t left() const { return content_.size() - position_; }
  std::string_view content() const { return content_; }

 private:
  std::string_view content_;
  std::size_t position_ = 0, number_ = 0;
};

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at p, which is moved behind it; false (p unmoved) when there is none. Understands 1.5D+02, 1.5+2 (exponent
// without letter), a leading +. A number ends where its syntax ends: "1.0E+00-2.0E+00" is two.
bool take_number(const char*& p, const char* end, double& value);

// Appends the numbers of a line; false at the first thing that is none (what came before stays appended).
bool append_numbers(std::string_view line, std::vector<double>& values);

// A whole field as a number: blanks around it, nothing else. Blank fields are nothing.
std::optional<double> field_number(std::string_view field);
std::optional<std::int64_t> field_integer(std::string_view field);

// Columns first .. first+width of a line; shorter when the line ends.
inline std::string_view columns(std::string_view line, std::size_t first, std::size_t width) {
  return first < line.size() ? line.substr(first, width) : std::string_view();
}

// Whole numbers of a line in fields of `width`. Blank-separated where possible (files are often off by a column), by
// columns when a word is longer than a field. Nothing when a word is no whole number.
std::optional<std::vector<std::int64_t>> integer_fields(std::string_view line, std::size_t width);

std::vector<std::string_view> words_of(std::string_view line);

// Text that may hold bytes outside ASCII as UTF-8: valid UTF-8 stays, anything else is taken for Latin-1.
std::string to_utf8(std::string_view text);

}  // namespace kdyn::inline io::internal
