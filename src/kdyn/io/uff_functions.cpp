// SPDX-License-Identifier: Apache-2.0
// Dataset 58: a measured function, as text or with binary values (58b).
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/uff_reader.hpp"

namespace kdyn::inline io::internal {
namespace {

struct Shape {  // record 7
  int data_type = 0;
  std::uint64_t points = 0;
  bool even = true;
};

std::string name_field(std::string_view text) { return to_utf8(trim(text)); }

int small(std::int64_t value) { return static_cast<int>(std::clamp<std::int64_t>(value, -1000000000, 1000000000)); }

// Columns counted in characters: a label in UTF-8 has more bytes than columns.
std::string_view character_columns(std::string_view line, std::size_t first, std::size_t width) {
  line = line.substr(0, 400);
  const bool utf8 = to_utf8(line) == line;
  std::size_t byte = 0, column = 0, begin = line.size();
  for (; byte < line.size(); ++byte) {
    if (utf8 && (static_cast<unsigned char>(line[byte]) & 0xc0) == 0x80) continue;
    if (column == first) begin = byte;
    if (column == first + width) break;
    ++column;
  }
  return begin < byte ? line.substr(begin, byte - begin) : std::string_view();
}

bool read_record_6(UffRecords& records, UffFunction& f) {
  std::string_view text;
  if (!records.need(text, "the record of degrees of freedom")) return false;
  const auto integer = [&](std::size_t first, std::size_t width) {
    return field_integer(character_columns(text, first, width));
  };
  const auto type = integer(0, 5), number = integer(5, 10), version = integer(15, 5), load_case = integer(20, 10);
  const auto response = integer(41, 10), response_direction = integer(51, 4), reference = integer(66, 10),
             reference_direction = integer(76, 4);
  if (type && response && response_direction && reference && reference_direction) {
    f.type = small(*type), f.number = number.value_or(0), f.version = version.value_or(0),
    f.load_case = small(load_case.value_or(0));
    f.response_name = name_field(character_columns(text, 31, 10)),
    f.reference_name = name_field(character_columns(text, 56, 10));
    f.response_node = *response, f.reference_node = *reference;
    f.response_direction = small(*response_direction), f.reference_direction = small(*reference_direction);
    return true;
  }
  // Columns do not fit: ten blank-separated words do, where names have no blanks.
  const auto words = words_of(text);
  if (words.size() == 10) {
    const auto at = [&](std::size_t i) { return field_integer(words[i]); };
    if (at(0) && at(5) && at(6) && at(8) && at(9)) {
      f.type = small(*at(0)), f.number = at(1).value_or(0), f.version = at(2).value_or(0),
      f.load_case = small(at(3).value_or(0));
      f.response_name = to_utf8(words[4]), f.reference_name = to_utf8(words[7]);
      f.response_node = *at(5), f.response_direction = small(*at(6)), f.reference_node = *at(8),
      f.reference_direction = small(*at(9));
      records.complain(Severity::note, "columns_off",
                       "the fields do not stand in their columns; they were read as blank-separated words",
                       "nothing, if the names are right");
      return true;
    }
  }
  if (!type) return records.bad(fmt::format("the function type is no number in {}", in_quotes(text)));
  f.type = small(*type);
  records.complain(Severity::warning, "dof_unreadable",
                   fmt::format("nodes and directions cannot be read from {}", in_quotes(text)),
                   "name the channels by hand");
  return true;
}

bool read_record_7(UffRecords& records, UffFunction& f, Shape& shape) {
  std::string_view text;
  if (!records.need(text, "the record of the data form")) return false;
  const auto type = field_integer(columns(text, 0, 10)), points = field_integer(columns(text, 10, 10)),
             spacing = field_integer(columns(text, 20, 10));
  if (!type || !points || !spacing || *points < 0)
    return records.bad(fmt::format("data type, number of points and spacing are expected, not {}", in_quotes(text)));
  if (*type != 2 && *type != 4 && *type != 5 && *type != 6)
    return records.bad(fmt::format("data type {} is not 2, 4, 5 or 6", *type));
  std::vector<double> rest;
  if (!append_numbers(columns(text, 30, text.size()), rest))
    return records.bad("start, increment and z value should be numbers");
  rest.resize(3, 0.0);
  shape = {static_cast<int>(*type), static_cast<std::uint64_t>(*points), *spacing != 0};
  f.is_complex = *type >= 5, f.double_precision = *type == 4 || *type == 6, f.even = shape.even;
  f.start = rest[0], f.step = rest[1], f.z = rest[2];
  if (f.even && shape.points > 1 && !(std::isfinite(f.step) && f.step != 0.0))
    records.complain(Severity::warning, "no_increment", "evenly spaced data have no increment",
                     "give the abscissa by hand");
  return true;
}

bool read_axes(UffRecords& records, UffFunction& f) {
  std::string_view text;
  for (UffAxis& axis : f.axes) {
    if (!records.need(text, "the record of an axis")) return false;
    const auto type = field_integer(columns(text, 0, 10));
    if (!type) {
      records.complain(Severity::warning, "axis_unreadable",
                       fmt::format("the axis record {} was not understood", in_quotes(text)), "give units by hand");
      continue;
    }
    axis.type = small(*type);
    for (std::size_t i = 0; i < 3; ++i)
      axis.exponents[i] = small(field_integer(columns(text, 10 + 5 * i, 5)).value_or(0));
    axis.label = name_field(character_columns(text, 26, 20));
    axis.unit = name_field(character_columns(text, 47, 20));
    if (axis.unit.empty()) axis.unit = "NONE";
  }
  return true;
}

bool read_head(UffRecords& records, UffFunction& f, Shape& shape) {
  std::string_view text;
  for (std::string& id : f.id) {
    if (!records.need(text, "an identification line")) return false;
    id = name_field(text.substr(0, 200));
  }
  return read_record_6(records, f) && read_record_7(records, f, shape) && read_axes(records, f);
}

// Numbers per point: abscissa (uneven only), then one or two of the ordinate.
std::size_t numbers_per_point(const UffFunction& f) { return (f.even ? 0U : 1U) + (f.is_complex ? 2U : 1U); }

void report_count(UffRecords& records, const Shape& shape, std::size_t found) {
  if (shape.points != found)
    records.complain(Severity::warning, "wrong_count",
                     fmt::format("{} points are announced and {} are there", shape.points, found),
                     "the points that are there were kept");
}

void distribute(UffFunction& f, const std::vector<double>& values) {
  const std::size_t width = numbers_per_point(f), count = values.size() / width;
  if (!f.even) f.abscissa.reserve(count);
  if (f.is_complex)
    f.complex.reserve(count);
  else
    f.real.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* point = values.data() + i * width;
    if (!f.even) f.abscissa.push_back(*point++);
    if (f.is_complex)
      f.complex.emplace_back(point[0], point[1]);
    else
      f.real.push_back(point[0]);
  }
}

template <class T>
void take_values(UffFunction& f, const char* p, std::size_t points, std::size_t abscissa_bytes, bool big) {
  if (f.is_complex)
    f.complex.resize(points);
  else
    f.real.resize(points);
  if (!f.even) f.abscissa.resize(points);
  for (std::size_t i = 0; i < points; ++i) {
    if (!f.even) {
      f.abscissa[i] = abscissa_bytes == 4 ? static_cast<double>(load<float>(p, big)) : load<double>(p, big);
      p += abscissa_bytes;
    }
    if (f.is_complex) {
      f.complex[i] = {static_cast<double>(load<T>(p, big)), static_cast<double>(load<T>(p + sizeof(T), big))};
      p += 2 * sizeof(T);
    } else {
      f.real[i] = static_cast<double>(load<T>(p, big));
      p += sizeof(T);
    }
  }
}

// A closing -1 stands `ahead` bytes further on; some writers put a line end before it.
bool closes_at(const TextLines& lines, std::size_t ahead) {
  if (ahead > lines.left()) return false;
  std::string_view rest = lines.content().substr(lines.position() + ahead, 12);
  while (!rest.empty() && (rest.front() == '\r' || rest.front() == '\n')) rest.remove_prefix(1);
  return is_uff_delimiter(rest.substr(0, rest.find('\n')));
}

}  // namespace

void read_uff_58(UffRecords& records) {
  UffFunction f;
  Shape shape;
  if (!read_head(records, f, shape)) return;
  const std::size_t width = numbers_per_point(f);
  std::vector<double> values;
  // A number takes at least two bytes of text.
  values.reserve(std::min<std::uint64_t>(shape.points, records.left() / 2 / width) * width);
  std::string_view text;
  while (records.next(text)) {
    if (!append_numbers(text, values)) {
      records.bad(fmt::format("{} is not a row of numbers", in_quotes(trim(text))));
      break;
    }
  }
  const std::size_t wanted =
      shape.points < values.size() / width ? static_cast<std::size_t>(shape.points) : values.size() / width;
  report_count(records, shape, values.size() / width);
  values.resize(wanted * width);
  distribute(f, values);
  records.file().functions.push_back(std::move(f));
}

void read_uff_58b(UffRecords& records, std::string_view first_line) {
  const auto byte_order = field_integer(columns(first_line, 7, 6)), format = field_integer(columns(first_line, 13, 6));
  const auto announced = field_integer(columns(first_line, 31, 12));
  UffFunction f;
  Shape shape;
  if (!read_head(records, f, shape)) return;
  if (format && *format != 2) {
    records.bad(fmt::format("floating-point format {} is not IEEE (2); VAX and IBM numbers are not read", *format));
    return;
  }
  const bool big = byte_order && *byte_order == 2;
  TextLines& lines = records.lines();
  const std::size_t value_bytes = (f.double_precision ? 8U : 4U) * (f.is_complex ? 2U : 1U);
  std::size_t abscissa_bytes = f.even ? 0U : f.double_precision ? 8U : 4U;
  const std::uint64_t claimed = announced && *announced > 0 ? static_cast<std::uint64_t>(*announced) : 0;
  // Doubles with a single-precision abscissa exist; the announced length tells.
  if (!f.even && f.double_precision && shape.points < (std::uint64_t{1} << 40) &&
      claimed == shape.points * (value_bytes + 4))
    abscissa_bytes = 4;
  const std::size_t point_bytes = value_bytes + abscissa_bytes;
  const std::size_t left = lines.left();
  std::size_t points = shape.points > left / point_bytes ? left / point_bytes : static_cast<std::size_t>(shape.points);
  const bool by_bytes = claimed != 0 && claimed <= left && claimed / point_bytes < points &&
                        closes_at(lines, claimed) && (points < shape.points || !closes_at(lines, points * point_bytes));
  if (by_bytes) points = static_cast<std::size_t>(claimed / point_bytes);
  if (by_bytes)
    report_count(records, shape, points);
  else if (points < shape.points)
    records.complain(Severity::serious, "truncated",
                     fmt::format("{} points are announced, the file has room for {}", shape.points, points),
                     "check that the file was transferred completely, in binary mode");
  else if (claimed != 0 && claimed != shape.points * point_bytes)
    records.complain(
        Severity::warning, "wrong_count",
        fmt::format("{} bytes are announced, {} points take {}", claimed, shape.points, shape.points * point_bytes),
        "the number of points is used");
  const char* data = lines.content().data() + lines.position();
  if (f.double_precision)
    take_values<double>(f, data, points, abscissa_bytes, big);
  else
    take_values<float>(f, data, points, abscissa_bytes, big);
  lines.skip_to(lines.position() + points * point_bytes);
  records.file().functions.push_back(std::move(f));
}

}  // namespace kdyn::inline io::internal
