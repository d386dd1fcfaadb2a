// SPDX-License-Identifier: Apache-2.0
// OP4 as text: a header line, then for each column three whole numbers and rows of values. Lines of values have a
// decimal point, lines of whole numbers have none, so counts need not be believed.
#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/op4_reader.hpp"

namespace kdyn::inline io::internal {
namespace {

bool has_point(std::string_view line) { return line.find('.') != std::string_view::npos; }

}  // namespace

std::optional<Op4Header> op4_text_header(std::string_view line) {
  if (line.size() < 33) return std::nullopt;
  for (const std::size_t width : {std::size_t{8}, std::size_t{16}}) {
    const auto at = [&](std::size_t i) { return field_integer(columns(line, i * width, width)); };
    const auto ncol = at(0), nrow = at(1), form = at(2), type = at(3);
    if (!ncol || !nrow || !form || !type || line.size() <= 4 * width) continue;
    const Op4Header header{*ncol, *nrow, *form, *type, columns(line, 4 * width, 8)};
    const std::string_view name = trim(header.name);
    const bool letter =
        !name.empty() && ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z') || name[0] == '_');
    if (letter && plan_of(header)) return header;
  }
  return std::nullopt;
}

void parse_op4_text(std::string_view content, const std::string& name, MatrixSet& out) {
  TextLines lines(content);
  TextLine line;
  std::vector<double> values;
  const auto complain = [&](const char* code, const std::string& matrix, std::int64_t column,
                            const std::string& message, const std::string& remedy) {
    if (out.findings.size() < 200)
      out.findings.push_back({Severity::serious, code,
                              fmt::format("{}:{}: matrix {}, column {}, byte {}", name, line.number, in_quotes(matrix),
                                          column, line.offset),
                              message, remedy});
  };
  while (lines.next(line)) {
    const auto header = op4_text_header(line.text);
    if (!header) {
      if (!trim(line.text).empty()) {
        complain("no_header", "", 0,
                 fmt::format("{} is no matrix header; lines were skipped up to the next one", in_quotes(line.text)),
                 "check the file");
        while (lines.next(line))
          if (op4_text_header(line.text)) {
            lines.put_back(line);
            break;
          }
      }
      continue;
    }
    MatrixPlan plan = *plan_of(*header);
    const std::string where =
        fmt::format("{}:{}: matrix {}, byte {}", name, line.number, in_quotes(plan.name), line.offset);
    const bool bigmat = header->rows < 0;
    const std::size_t per_value = plan.is_complex ? 2 : 1;
    values.clear();
    bool closed = false, damaged = false;
    std::int64_t column = 0;
    // The numbers that follow, as one run.
    const auto take_run = [&](std::int64_t row) {
      const std::size_t first = values.size();
      bool good = true;
      TextLine next;
      while (lines.next(next)) {
        if (!has_point(next.text) || op4_text_header(next.text)) {
          lines.put_back(next);
          break;
        }
        line = next;
        good = append_numbers(next.text, values) && good;
      }
      const std::size_t count = (values.size() - first) / per_value;
      if (column > plan.columns) {
        values.resize(first);
      } else if (!good || (values.size() - first) % per_value != 0 || !add_run(plan, column, row, count, first)) {
        complain(
            "bad_column", plan.name, column,
            fmt::format("row {} with {} values does not fit or is not made of numbers; it was dropped", row, count),
            "write the matrix again");
        values.resize(first);
      }
    };
    while (!closed && lines.next(line)) {
      if (op4_text_header(line.text)) {
        lines.put_back(line);
        break;
      }
      const auto numbers = integer_fields(line.text, 16);
      if (numbers && numbers->size() == 3) {
        column = (*numbers)[0];
        closed = column > plan.columns;
        if (closed || (*numbers)[1] > 0) take_run((*numbers)[1]);
      } else if (numbers && bigmat && numbers->size() == 2 && column > 0) {
        take_run((*numbers)[1]);
      } else if (numbers && !bigmat && numbers->size() == 1 && column > 0 && (*numbers)[0] > 0) {
        take_run((*numbers)[0] % 65536);
      } else if (!trim(line.text).empty()) {
        if (!damaged)
          complain("bad_record", plan.name, column,
                   fmt::format("{} is neither a column nor a string; it was skipped", in_quotes(line.text)),
                   "write the matrix again");
        damaged = true;
      }
    }
    if (!closed)
      complain("truncated", plan.name, column, "the matrix has no closing record; the columns before are kept",
               "check that the file was transferred completely");
    out.matrices.push_back(lay_out(
        std::move(plan),
        [&, per_value](std::size_t place, std::size_t count, double* target) {
          std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(place), per_value * count, target);
        },
        allowed_bytes(content.size()), where, out.findings));
  }
}

}  // namespace kdyn::inline io::internal
