// SPDX-License-Identifier: Apache-2.0
// MAT version 4: one head of 20 bytes, a name and the values for each array. Old, and still what many bench programs
// write.
//
// Head: type MOPT (M byte order 0 little, 1 big; O 0; P class 0 double 1 single 2 int32 3 int16 4 uint16 5 uint8; T 0
// full 1 text 2 sparse), rows, columns, complex flag, length of the name with its zero.
#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/mat_parts.hpp"
#include "kdyn/io/internal/raw_values.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

struct Mat4Head {
  std::uint32_t kind = 0, form = 0, rows = 0, columns = 0, name_length = 0;
  bool big = false, is_complex = false;
  std::uint64_t values() const { return std::uint64_t{rows} * columns; }
  std::size_t width() const {
    constexpr std::size_t widths[] = {8, 4, 4, 2, 2, 1};
    return widths[kind];
  }
  std::uint64_t bytes() const { return values() * width() * (is_complex ? 2 : 1); }
};

bool read_head(std::string_view at, Mat4Head& head) {
  if (at.size() < 20) return false;
  for (const bool big : {false, true}) {
    const auto type = load<std::uint32_t>(at.data(), big);
    if (type >= 2000 || type / 1000 != (big ? 1U : 0U) || type / 100 % 10 != 0) continue;
    head.big = big;
    head.kind = type / 10 % 10, head.form = type % 10;
    head.rows = load<std::uint32_t>(at.data() + 4, big), head.columns = load<std::uint32_t>(at.data() + 8, big);
    const auto imaginary = load<std::uint32_t>(at.data() + 12, big);
    head.is_complex = imaginary == 1;
    head.name_length = load<std::uint32_t>(at.data() + 16, big);
    constexpr std::uint32_t most = 1U << 31;
    return head.kind <= 5 && head.form <= 2 && imaginary <= 1 && head.rows < most && head.columns < most &&
           head.name_length >= 2 && head.name_length <= 256 && at.size() >= 20 + head.name_length &&
           at[20 + head.name_length - 1] == '\0';
  }
  return false;
}

}  // namespace

bool looks_like_mat4(std::string_view content) {
  Mat4Head head;
  if (!read_head(content, head)) return false;
  // A name is a word of letters; that keeps other binary files out.
  for (std::size_t i = 0; i + 1 < head.name_length; ++i) {
    const char c = content[20 + i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i > 0 && is_digit(c));
    if (!letter) return false;
  }
  return true;
}

void parse_mat4(std::string_view content, MatFile& file) {
  std::size_t at = 0;
  Mat4Head head;
  const auto complain = [&](const char* code, const std::string& message) {
    if (file.findings.size() < 100)
      file.findings.push_back(
          {Severity::serious, code, fmt::format("{}: byte {}", file.name, at), message, "write the file again"});
  };
  while (at < content.size()) {
    const std::string_view rest = content.substr(at);
    if (!read_head(rest, head)) return complain("bad_array", "no array begins here; the rest was not read");
    const std::size_t begin = 20 + head.name_length;
    if (head.values() > content.size() || head.bytes() > rest.size() - begin)
      return complain("truncated", "an array ends behind the end of the file; it was not read");
    MatArray array;
    array.name = to_utf8(rest.substr(20, head.name_length - 1));
    array.shape = {head.rows, head.columns};
    const auto count = static_cast<std::size_t>(head.values());
    RawField field;
    field.big_endian = head.big;
    field.bits = static_cast<std::uint32_t>(8 * head.width());
    field.kind = head.kind < 2 ? RawField::real : head.kind < 4 ? RawField::signed_integer : RawField::unsigned_integer;
    array.real.resize(count);
    take_field(field, rest.data() + begin, head.width(), count, array.real.data());
    at += begin + static_cast<std::size_t>(head.bytes());
    if (head.form == 2) {
      file.findings.push_back({Severity::warning, "class_skipped",
                               fmt::format("{}: array {}", file.name, in_quotes(array.name)),
                               "sparse matrices of version 4 are not read", "save the file with -v7"});
      continue;
    }
    array.matlab_class = head.form == 1 ? "char" : "double";
    if (head.form == 1 && head.rows <= 1) {
      array.text = text_of(array.real);
      array.real.clear();
    } else if (head.is_complex) {
      std::vector<double> imaginary(count);
      take_field(field, rest.data() + begin + count * head.width(), head.width(), count, imaginary.data());
      array.is_complex = true;
      array.complex.resize(count);
      for (std::size_t i = 0; i < count; ++i) array.complex[i] = {array.real[i], imaginary[i]};
      array.real.clear();
    }
    file.arrays.push_back(std::move(array));
  }
}

}  // namespace kdyn::inline io::internal
