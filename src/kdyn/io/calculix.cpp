// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/calculix.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/triplets.hpp"

namespace kdyn::inline io {
namespace {

using internal::TextLine;
using internal::TextLines;

bool take_index(const char*& p, const char* end, int& index) {
  while (p != end && internal::is_space(*p)) ++p;
  const auto [stop, problem] = std::from_chars(p, end, index);
  p = stop;
  return problem == std::errc() && index >= 1 && index < std::numeric_limits<int>::max();
}

bool parse_row(std::string_view line, int& row, int& column, double& value) {
  const char* p = line.data();
  const char* const end = p + line.size();
  if (!take_index(p, end, row) || !take_index(p, end, column)) return false;
  while (p != end && internal::is_space(*p)) ++p;
  if (!internal::take_number(p, end, value)) return false;
  while (p != end && internal::is_space(*p)) ++p;
  return p == end;
}

void examine_mass(const Matrix& mass, const std::string& name, std::vector<Finding>& findings) {
  int bad = 0;
  for (int i = 0; i < mass.rows; ++i)
    if (!(mass.at(i, i).real() > 0.0)) ++bad;
  if (bad > 0)
    findings.push_back(
        {Severity::warning, "mass_not_definite", name,
         fmt::format("{} of {} diagonal masses are not positive: shells or beams were expanded by CalculiX", bad,
                     mass.rows),
         "use solid elements, or condense the dependent rows"});
}

void examine_dofs(const std::vector<Dof>& dofs, const std::string& name, std::vector<Finding>& findings) {
  std::set<std::pair<std::int64_t, int>> seen;
  std::size_t repeated = 0;
  for (const Dof& dof : dofs) repeated += seen.emplace(dof.node, dof.direction).second ? 0 : 1;
  if (repeated > 0)
    findings.push_back(
        {Severity::warning, "labels_repeat", name,
         fmt::format("{} labels occur more than once: shells or beams were expanded by CalculiX", repeated),
         "use solid elements, or map the rows by hand"});
}

}  // namespace

bool looks_like_calculix_matrix(std::string_view content) {
  TextLines lines(content.substr(0, 4096));
  TextLine line;
  int row = 0, column = 0, good = 0;
  double value = 0.0;
  for (int i = 0; i < 3 && lines.next(line); ++i) {
    if (lines.left() == 0 && content.size() > 4096) break;
    if (!parse_row(line.text, row, column, value)) return false;
    ++good;
  }
  return good > 0;
}

Matrix parse_calculix_matrix(std::string&& content, const std::string& name, std::vector<Finding>& findings) {
  internal::Triplets t;
  int size = 0;
  const std::size_t limit = internal::allowed_bytes(content.size());
  {
    const std::string text = std::move(content);
    const auto lines_in_text = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    // A row takes at least six bytes.
    const std::size_t rows = std::min(lines_in_text, text.size() / 6 + 1);
    t.row.reserve(rows), t.column.reserve(rows), t.real.reserve(rows);
    TextLines lines(text);
    TextLine line;
    std::size_t bad = 0;
    while (lines.next(line)) {
      int row = 0, column = 0;
      double value = 0.0;
      if (parse_row(line.text, row, column, value) &&
          static_cast<std::size_t>(std::max(row, column)) < limit / sizeof(int) / 3 && std::isfinite(value)) {
        t.row.push_back(row - 1), t.column.push_back(column - 1), t.real.push_back(value);
        size = std::max({size, row, column});
      } else if (!trim(line.text).empty() && bad++ < 20) {
        findings.push_back(
            {Severity::serious, "bad_row", fmt::format("{}:{}: byte {}", name, line.number, line.offset),
             fmt::format("{} is not row, column and value of this matrix; it was skipped", in_quotes(line.text)),
             "write the matrix again"});
      }
    }
    if (bad > 20)
      findings.push_back({Severity::serious, "bad_row", name, fmt::format("{} rows were skipped in all", bad),
                          "check that this is a CalculiX matrix"});
    if (t.row.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 2)
      throw_bad_input(name, "the matrix has more than 2^30 entries", "split the model");
  }
  Matrix matrix = internal::compress(std::move(t), size, size, false, internal::Mirror::symmetric);
  matrix.symmetric = true;
  return matrix;
}

std::vector<Dof> parse_calculix_dofs(std::string_view content, const std::string& name,
                                     std::vector<Finding>& findings) {
  std::vector<Dof> dofs;
  TextLines lines(content);
  TextLine line;
  while (lines.next(line)) {
    const std::string_view text = trim(line.text);
    if (text.empty()) continue;
    const std::size_t dot = text.find('.');
    const auto node = internal::field_integer(text.substr(0, dot));
    const auto direction = dot == std::string_view::npos ? std::nullopt : internal::field_integer(text.substr(dot + 1));
    if (!node || !direction || *direction < 0 || *direction > 6) {
      findings.push_back({Severity::serious, "bad_label", fmt::format("{}:{}: byte {}", name, line.number, line.offset),
                          fmt::format("{} is not node.direction; labels were read up to here", in_quotes(text)),
                          "write the file again"});
      break;
    }
    dofs.push_back({*node, static_cast<int>(*direction), {}});
  }
  return dofs;
}

MatrixSet read_calculix(const std::string& path) {
  namespace fs = std::filesystem;
  MatrixSet out;
  out.source.path = path;
  const fs::path given(path);
  const auto beside = [&](const char* extension) { return fs::path(given).replace_extension(extension).string(); };
  const std::string asked = lower_case(given.extension().string());
  std::vector<Dof> dofs;
  if (const std::string file = beside(".dof"); fs::is_regular_file(file) || asked == ".dof") {
    dofs = parse_calculix_dofs(read_text(file), file, out.findings);
    examine_dofs(dofs, file, out.findings);
  }
  for (const auto& [extension, name] : {std::pair{".sti", "K"}, std::pair{".mas", "M"}}) {
    const std::string file = extension == asked ? path : beside(extension);
    if (extension != asked && !fs::is_regular_file(file)) continue;
    Matrix matrix = parse_calculix_matrix(read_text(file), file, out.findings);
    matrix.name = name;
    if (matrix.name == "M") examine_mass(matrix, file, out.findings);
    if (!dofs.empty() && dofs.size() == static_cast<std::size_t>(matrix.rows))
      matrix.row_dofs = matrix.column_dofs = dofs;
    else if (!dofs.empty())
      out.findings.push_back({Severity::warning, "labels_missing", file,
                              fmt::format("{} labels do not fit {} rows and were left out", dofs.size(), matrix.rows),
                              "use files of one job"});
    out.matrices.push_back(std::move(matrix));
  }
  return out;
}

std::string calculix_matrix_text(const Matrix& given) {
  const Matrix matrix = to_sparse(given);
  if (matrix.rows != matrix.columns || matrix.is_complex)
    throw_bad_input(matrix.name, "CalculiX files hold real square matrices", "choose OP4 or Matrix Market");
  fmt::memory_buffer out;
  for (int c = 0; c < matrix.columns; ++c)
    for (int k = matrix.column_start[static_cast<std::size_t>(c)];
         k < matrix.column_start[static_cast<std::size_t>(c) + 1]; ++k) {
      const int r = matrix.row[static_cast<std::size_t>(k)];
      if (r <= c)
        fmt::format_to(std::back_inserter(out), "{} {} {:.16e}\n", r + 1, c + 1,
                       matrix.real[static_cast<std::size_t>(k)]);
    }
  return fmt::to_string(out);
}

std::string calculix_dof_text(const std::vector<Dof>& dofs) {
  std::string out;
  for (const Dof& dof : dofs) out += fmt::format("{}.{}\n", dof.node, std::abs(dof.direction));
  return out;
}

}  // namespace kdyn::inline io
