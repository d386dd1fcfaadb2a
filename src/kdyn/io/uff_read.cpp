// SPDX-License-Identifier: Apache-2.0
// The walk over the datasets of a universal file, and the two that say what its numbers are (151, 164).
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/uff_reader.hpp"

namespace kdyn::inline io {
namespace internal {

bool is_uff_delimiter(std::string_view line) {
  // Columns 5 and 6 in the standard; some programs write fewer blanks. A node number -1 stands in column 9 and is no
  // delimiter.
  return trim(line) == "-1" && line.find('-') <= 5;
}

bool UffRecords::next(std::string_view& text) {
  if (!lines_.next(line_)) return false;
  if (is_uff_delimiter(line_.text)) {
    lines_.put_back(line_);
    return false;
  }
  ++record_;
  text = line_.text;
  return true;
}

bool UffRecords::need(std::string_view& text, const char* what) {
  if (next(text)) return true;
  return bad(fmt::format("the dataset ends where {} is expected", what));
}

void UffRecords::complain(Severity severity, const char* code, const std::string& message, const std::string& remedy) {
  constexpr std::size_t most = 200;  // a broken file shall not turn into a novel
  if (file_.findings.size() >= most) return;
  file_.findings.push_back(
      {severity, code,
       fmt::format("{}:{}: dataset {}{} (number {} in the file), record {}, byte {}", file_.name, line_.number,
                   dataset_.number, dataset_.binary ? "b" : "", file_.datasets.size() + 1, record_, line_.offset),
       message, remedy});
}

bool UffRecords::bad(const std::string& message) {
  complain(Severity::serious, "bad_record", message, "repair or remove the dataset; the rest of the file was read");
  return false;
}

void read_uff_151(UffRecords& records) {
  UffHeader header;
  std::string_view text;
  for (std::string& line : header.lines) {
    if (!records.next(text)) break;
    line = to_utf8(trim(text.substr(0, 200)));
  }
  records.file().header = header;
}

void read_uff_164(UffRecords& records) {
  std::string_view text;
  UffUnits units;
  if (!records.need(text, "the units code")) return;
  const auto code = field_integer(columns(text, 0, 10));
  if (!code || *code < 0 || *code > 1000) {
    records.bad(fmt::format("the units code {} is no number", in_quotes(text)));
    return;
  }
  units.code = static_cast<int>(*code);
  units.name = to_utf8(trim(columns(text, 10, 20)));
  std::vector<double> factors;
  while (factors.size() < 4 && records.next(text))
    if (!append_numbers(text, factors)) {
      records.bad("the unit factors are not numbers");
      return;
    }
  if (factors.size() < 3 || !(factors[0] > 0.0 && factors[1] > 0.0 && factors[0] < 1e30 && factors[1] < 1e30)) {
    records.bad("the factors of length and force must be positive numbers");
    return;
  }
  units.length = factors[0], units.force = factors[1], units.temperature = factors[2];
  if (factors.size() > 3) units.offset = factors[3];
  records.file().units = units;
}

}  // namespace internal

namespace {

using namespace internal;

struct Handler {
  int number;
  void (*read)(UffRecords&);
};
constexpr Handler handlers[] = {{15, read_uff_15},     {18, read_uff_18},     {55, read_uff_55},
                                {58, read_uff_58},     {82, read_uff_82},     {151, read_uff_151},
                                {164, read_uff_164},   {2411, read_uff_2411}, {2412, read_uff_2412},
                                {2414, read_uff_2414}, {2420, read_uff_2420}};

// Dataset number and the b of a binary one from the first line of a dataset: "    58", "    58b     1     2 ...".
bool dataset_number(std::string_view text, UffDataset& dataset) {
  const std::string_view head = trim(columns(text, 0, 7));
  std::size_t digits = 0;
  while (digits < head.size() && is_digit(head[digits])) ++digits;
  if (digits == 0 || digits > 6) return false;
  dataset.number = static_cast<int>(*field_integer(head.substr(0, digits)));
  const std::string_view rest = head.substr(digits);
  dataset.binary = !rest.empty() && (rest.front() == 'b' || rest.front() == 'B');
  return rest.empty() || dataset.binary || is_space(rest.front());
}

void read_dataset(UffFile& file, TextLines& lines, const UffDataset& dataset, std::string_view first_line,
                  bool& understood) {
  UffRecords records(file, lines, dataset);
  if (dataset.binary) {
    if (dataset.number != 58) return;
    understood = true;
    read_uff_58b(records, first_line);
    return;
  }
  for (const Handler& handler : handlers)
    if (handler.number == dataset.number) {
      understood = true;
      handler.read(records);
    }
}

}  // namespace

bool looks_like_uff(std::string_view content) {
  TextLines lines(content.substr(0, 4096));
  TextLine line;
  UffDataset dataset;
  while (lines.next(line)) {
    if (trim(line.text).empty()) continue;
    if (!is_uff_delimiter(line.text)) return false;
    // pyuff writes two delimiters at the start of a file.
    while (lines.next(line))
      if (!is_uff_delimiter(line.text)) return dataset_number(line.text, dataset);
    return false;
  }
  return false;
}

UffFile parse_uff(std::string_view content, const std::string& name) {
  UffFile file;
  file.name = name;
  TextLines lines(content);
  TextLine line;
  std::size_t stray = 0, stray_line = 0;
  while (lines.next(line)) {
    if (!is_uff_delimiter(line.text)) {
      if (!trim(line.text).empty() && stray++ == 0) stray_line = line.number;
      continue;
    }
    UffDataset dataset;
    dataset.line = line.number + 1;
    if (!lines.next(line)) break;  // a spare -1 at the end of the file
    dataset.offset = line.offset;
    if (is_uff_delimiter(line.text)) {
      // Two delimiters in a row where a number is expected: one of them is too many. The second may open the next
      // dataset.
      lines.put_back(line);
      continue;
    }
    if (!dataset_number(line.text, dataset)) {
      if (stray++ == 0) stray_line = line.number;
      continue;
    }
    read_dataset(file, lines, dataset, line.text, dataset.understood);
    // Whatever was left unread of it, up to the closing delimiter.
    bool closed = false;
    while (!closed && lines.next(line)) closed = is_uff_delimiter(line.text);
    if (!closed)
      file.findings.push_back(
          {Severity::warning, "not_closed", fmt::format("{}:{}: dataset {}", name, dataset.line, dataset.number),
           "the file ends before the closing -1 of this dataset", "check that the file was transferred completely"});
    dataset.bytes = lines.position() - dataset.offset;
    file.datasets.push_back(dataset);
  }
  if (file.datasets.empty())
    throw_bad_input(name, "no dataset was found: a universal file has a line '    -1' before each dataset number",
                    "check that this is a universal file");
  if (stray > 0)
    file.findings.push_back({Severity::warning, "stray_lines", fmt::format("{}:{}", name, stray_line),
                             fmt::format("{} lines stand between datasets and were skipped", stray),
                             "compare with the program that wrote the file"});
  return file;
}

UffFile read_uff(const std::string& path) { return parse_uff(read_text(path), path); }

}  // namespace kdyn::inline io
