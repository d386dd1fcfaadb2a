// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/matrix_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {
namespace {

bool before(const MatrixRun& a, const MatrixRun& b) {
  return a.column != b.column ? a.column < b.column : a.row < b.row;
}

void drop_overlaps(MatrixPlan& plan, const std::string& where, std::vector<Finding>& findings) {
  if (!std::is_sorted(plan.runs.begin(), plan.runs.end(), before))
    std::stable_sort(plan.runs.begin(), plan.runs.end(), before);
  std::size_t kept = 0, dropped = 0;
  for (const MatrixRun& run : plan.runs) {
    if (kept > 0 && plan.runs[kept - 1].column == run.column &&
        plan.runs[kept - 1].row + plan.runs[kept - 1].count > run.row)
      ++dropped;
    else
      plan.runs[kept++] = run;
  }
  plan.runs.resize(kept);
  if (dropped > 0)
    findings.push_back(
        {Severity::serious, "stored_twice", where,
         fmt::format("{} strings of matrix {} lie over others and were dropped", dropped, in_quotes(plan.name)),
         "write the matrix again; a place may be stored once"});
}

// Files may say single precision and hold more digits (64-bit words, text); only what 32 bits hold exactly is single.
bool fits_single(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double value) {
    return static_cast<double>(static_cast<float>(value)) == value || value != value;
  });
}

}  // namespace

Matrix lay_out(MatrixPlan&& plan, const CopyRun& copy, std::size_t limit, const std::string& where,
               std::vector<Finding>& findings) {
  drop_overlaps(plan, where, findings);
  Matrix matrix;
  matrix.name = plan.name;
  matrix.rows = plan.rows, matrix.columns = plan.columns;
  matrix.is_complex = plan.is_complex, matrix.symmetric = plan.symmetric;
  std::size_t stored = 0;
  for (const MatrixRun& run : plan.runs) stored += static_cast<std::size_t>(run.count);
  const std::size_t size = static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(plan.columns),
                    width = plan.is_complex ? 16 : 8;
  matrix.sparse = size == 0 || stored < size / 4 || stored == 0;
  // Division instead of a product that could overflow.
  const std::size_t needed = matrix.sparse ? (static_cast<std::size_t>(plan.columns) + 1) * sizeof(int) : size * width;
  if (needed > limit || (!matrix.sparse && size > limit / width)) {
    findings.push_back({Severity::serious, "too_large", where,
                        fmt::format("matrix {} claims {} x {} for {} stored values and was not read",
                                    in_quotes(plan.name), plan.rows, plan.columns, stored),
                        "check the header of the matrix"});
    matrix.rows = matrix.columns = 0;
    matrix.sparse = true;
    matrix.column_start.assign(1, 0);
    return matrix;
  }
  const auto values = [&](std::size_t count) {
    if (plan.is_complex) {
      matrix.complex.resize(count);
      return reinterpret_cast<double*>(matrix.complex.data());
    }
    matrix.real.resize(count);
    return matrix.real.data();
  };
  const std::size_t numbers = plan.is_complex ? 2 : 1;
  if (!matrix.sparse) {
    double* target = values(size);
    for (const MatrixRun& run : plan.runs)
      copy(run.place, static_cast<std::size_t>(run.count),
           target + numbers * (static_cast<std::size_t>(run.column) * static_cast<std::size_t>(plan.rows) +
                               static_cast<std::size_t>(run.row)));
    matrix.single_precision = plan.single_precision && fits_single(target, numbers * size);
    return matrix;
  }
  matrix.column_start.assign(static_cast<std::size_t>(plan.columns) + 1, 0);
  matrix.row.reserve(stored);
  double* const start = values(stored);
  double* target = start;
  for (const MatrixRun& run : plan.runs) {
    copy(run.place, static_cast<std::size_t>(run.count), target);
    target += numbers * static_cast<std::size_t>(run.count);
    for (int i = 0; i < run.count; ++i) matrix.row.push_back(run.row + i);
    matrix.column_start[static_cast<std::size_t>(run.column) + 1] += run.count;
  }
  matrix.single_precision = plan.single_precision && fits_single(start, numbers * stored);
  for (std::size_t c = 0; c < static_cast<std::size_t>(plan.columns); ++c)
    matrix.column_start[c + 1] += matrix.column_start[c];
  return matrix;
}

}  // namespace kdyn::inline io::internal
