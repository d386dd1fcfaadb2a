// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/triplets.hpp"

namespace kdyn::inline io {
namespace {

using internal::TextLine;
using internal::TextLines;

struct Head {
  bool coordinate = false, complex = false, pattern = false;
  std::string symmetry;
};

Head head_of(std::string_view line, const std::string& name) {
  const std::string text = lower_case(line);
  const auto parts = internal::words_of(text);
  const auto refuse = [&]() {
    throw_bad_input(name + ":1", fmt::format("{} is no Matrix Market header", in_quotes(line)),
                    "%%MatrixMarket matrix coordinate|array real|complex|integer|pattern general|symmetric|...");
  };
  if (parts.size() != 5 || parts[1] != "matrix") refuse();
  Head head;
  head.coordinate = parts[2] == "coordinate";
  head.complex = parts[3] == "complex";
  head.pattern = parts[3] == "pattern";
  head.symmetry = parts[4];
  if ((!head.coordinate && parts[2] != "array") ||
      (!head.complex && !head.pattern && parts[3] != "real" && parts[3] != "integer") ||
      (head.pattern && !head.coordinate) ||
      (head.symmetry != "general" && head.symmetry != "symmetric" && head.symmetry != "skew-symmetric" &&
       head.symmetry != "hermitian"))
    refuse();
  return head;
}

}  // namespace

bool looks_like_matrix_market(std::string_view content) {
  return lower_case(content.substr(0, 14)) == "%%matrixmarket";
}

MatrixSet parse_matrix_market(std::string_view content, const std::string& name) {
  MatrixSet out;
  out.source.path = name;
  TextLines lines(content);
  TextLine line;
  if (!lines.next(line)) throw_bad_input(name, "the file is empty", "check the file");
  const Head head = head_of(line.text, name);
  bool have_sizes = false;
  std::vector<std::int64_t> sizes;
  while (!have_sizes && lines.next(line)) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.front() == '%') continue;
    const auto numbers = internal::integer_fields(text, 30);
    if (!numbers || numbers->size() != (head.coordinate ? 3U : 2U))
      throw_bad_input(fmt::format("{}:{}", name, line.number), fmt::format("{} are no sizes", in_quotes(text)),
                      "write rows, columns and, for coordinate, the number of entries");
    sizes = *numbers;
    have_sizes = true;
  }
  const std::size_t limit = internal::allowed_bytes(content.size());
  const auto fits = [&](std::int64_t size) {
    return size >= 0 && static_cast<std::uint64_t>(size) <= internal::most_columns(limit) &&
           size < std::numeric_limits<int>::max();
  };
  if (!have_sizes || !fits(sizes[1]) || sizes[0] < 0 || sizes[0] >= std::numeric_limits<int>::max())
    throw_bad_input(name, "the sizes are missing or larger than the file can fill", "check the line of sizes");
  const auto rows = static_cast<int>(sizes[0]), columns = static_cast<int>(sizes[1]);
  const bool mirrored = head.symmetry != "general";
  if (mirrored && rows != columns)
    throw_bad_input(name, "a symmetric matrix must be square", "check the line of sizes");
  const auto complain = [&](const std::string& message) {
    if (out.findings.size() < 20)
      out.findings.push_back({Severity::serious, "bad_entry",
                              fmt::format("{}:{}: byte {}", name, line.number, line.offset), message,
                              "write the matrix again"});
  };
  internal::Triplets entries;
  std::vector<double> numbers;
  std::int64_t next_row = 0, next_column = 0;
  const auto add = [&](std::int64_t r, std::int64_t c, std::complex<double> value) {
    if (r < 0 || r >= rows || c < 0 || c >= columns)
      return complain(fmt::format("entry {}, {} lies outside the matrix; it was skipped", r + 1, c + 1));
    entries.row.push_back(static_cast<int>(r)), entries.column.push_back(static_cast<int>(c));
    if (!head.pattern) entries.real.push_back(value.real());
    if (head.complex) entries.imaginary.push_back(value.imag());
  };
  const std::size_t value_numbers = head.pattern ? 0 : head.complex ? 2 : 1;
  while (lines.next(line)) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.front() == '%') continue;
    numbers.clear();
    if (!internal::append_numbers(text, numbers)) {
      complain(fmt::format("{} are no numbers; the line was skipped", in_quotes(text)));
      continue;
    }
    if (head.coordinate) {
      const bool good = numbers.size() == 2 + value_numbers && std::abs(numbers[0]) < 1e15 &&
                        std::abs(numbers[1]) < 1e15 && numbers[0] == std::floor(numbers[0]) &&
                        numbers[1] == std::floor(numbers[1]);
      if (!good) {
        complain(fmt::format("{} is no entry; the line was skipped", in_quotes(text)));
        continue;
      }
      const std::complex<double> value = head.pattern   ? 1.0
                                         : head.complex ? std::complex<double>(numbers[2], numbers[3])
                                                        : numbers[2];
      add(static_cast<std::int64_t>(numbers[0]) - 1, static_cast<std::int64_t>(numbers[1]) - 1, value);
      continue;
    }
    for (std::size_t i = 0; i + value_numbers <= numbers.size(); i += value_numbers) {
      if (next_column >= columns) {
        complain("there are more values than the matrix has places; they were skipped");
        break;
      }
      add(next_row, next_column, head.complex ? std::complex<double>(numbers[i], numbers[i + 1]) : numbers[i]);
      if (++next_row >= rows)
        ++next_column, next_row = mirrored ? next_column + (head.symmetry == "skew-symmetric" ? 1 : 0) : 0;
    }
  }
  if (head.coordinate && sizes[2] >= 0 && static_cast<std::size_t>(sizes[2]) > entries.row.size())
    out.findings.push_back({Severity::warning, "wrong_count", name,
                            fmt::format("{} entries are announced, fewer are there", sizes[2]),
                            "check that the file was transferred completely"});
  if (!head.coordinate && next_column < columns && rows > 0)
    out.findings.push_back({Severity::warning, "truncated", name, "the array ends early; the missing values are zero",
                            "check that the file was transferred completely"});
  using internal::Mirror;
  const Mirror mirror = !mirrored                      ? Mirror::none
                        : head.symmetry == "symmetric" ? Mirror::symmetric
                        : head.symmetry == "hermitian" ? Mirror::hermitian
                                                       : Mirror::skew;
  Matrix matrix = internal::compress(std::move(entries), rows, columns, head.complex, mirror);
  matrix.name = "A";
  matrix.symmetric = head.symmetry == "symmetric";
  if (!head.coordinate && 4 * matrix.nonzeros() >= static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) &&
      matrix.nonzeros() > 0)
    matrix = to_dense(matrix);
  out.matrices.push_back(std::move(matrix));
  return out;
}

std::string matrix_market_text(const Matrix& matrix) {
  fmt::memory_buffer out;
  const auto print = [&](std::complex<double> value) {
    if (matrix.is_complex)
      fmt::format_to(std::back_inserter(out), "{:.17g} {:.17g}\n", value.real(), value.imag());
    else
      fmt::format_to(std::back_inserter(out), "{:.17g}\n", value.real());
  };
  const bool lower = matrix.symmetric && is_symmetric(matrix);
  fmt::format_to(std::back_inserter(out), "%%MatrixMarket matrix {} {} {}\n", matrix.sparse ? "coordinate" : "array",
                 matrix.is_complex ? "complex" : "real", lower ? "symmetric" : "general");
  const auto value = [&](std::size_t k) {
    return matrix.is_complex ? matrix.complex[k] : std::complex<double>(matrix.real[k]);
  };
  if (!matrix.sparse) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", matrix.rows, matrix.columns);
    for (int c = 0; c < matrix.columns; ++c)
      for (int r = lower ? c : 0; r < matrix.rows; ++r)
        print(value(static_cast<std::size_t>(c) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(r)));
    return fmt::to_string(out);
  }
  std::size_t count = 0;
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) fmt::format_to(std::back_inserter(out), "{} {} {}\n", matrix.rows, matrix.columns, count);
    for (int c = 0; c < matrix.columns; ++c)
      for (int k = matrix.column_start[static_cast<std::size_t>(c)];
           k < matrix.column_start[static_cast<std::size_t>(c) + 1]; ++k) {
        const int r = matrix.row[static_cast<std::size_t>(k)];
        if (lower && r < c) continue;
        if (pass == 0) {
          ++count;
          continue;
        }
        fmt::format_to(std::back_inserter(out), "{} {} ", r + 1, c + 1);
        print(value(static_cast<std::size_t>(k)));
      }
  }
  return fmt::to_string(out);
}

}  // namespace kdyn::inline io
