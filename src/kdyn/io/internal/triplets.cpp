// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/triplets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io::internal {
namespace {

// Rows of a column in order, entries of one place added; stable, so that sums do not depend on the sort.
template <class T>
std::size_t tidy(std::vector<int>& row, std::vector<T>& value, std::size_t begin, std::size_t end, std::size_t write,
                 std::vector<std::pair<int, T>>& column) {
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(begin),
             last = row.begin() + static_cast<std::ptrdiff_t>(end);
  if (std::adjacent_find(first, last, [](int a, int b) { return a >= b; }) == last) {
    for (std::size_t k = begin; k < end; ++k, ++write) row[write] = row[k], value[write] = value[k];
    return write;
  }
  column.clear();
  for (std::size_t k = begin; k < end; ++k) column.emplace_back(row[k], value[k]);
  std::stable_sort(column.begin(), column.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::size_t start = write;
  for (const auto& [r, v] : column) {
    if (write > start && row[write - 1] == r) {
      value[write - 1] += v;
      continue;
    }
    row[write] = r;
    value[write++] = v;
  }
  return write;
}

template <class T>
void fill(Triplets&& t, Mirror mirror, Matrix& matrix, std::vector<T>& values, const std::vector<int>& start) {
  const auto value = [&](std::size_t k) {
    const double real = t.real.empty() ? 1.0 : t.real[k];
    if constexpr (std::is_same_v<T, double>)
      return real;
    else
      return T(real, t.imaginary.empty() ? 0.0 : t.imaginary[k]);
  };
  const auto other = [&](const T& v) -> T {
    if (mirror == Mirror::skew) return -v;
    if constexpr (!std::is_same_v<T, double>)
      if (mirror == Mirror::hermitian) return std::conj(v);
    return v;
  };
  matrix.row.resize(static_cast<std::size_t>(start.back()));
  values.resize(static_cast<std::size_t>(start.back()));
  std::vector<int> next(start.begin(), start.end() - 1);
  const auto put = [&](int r, int c, const T& v) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(c)]++);
    matrix.row[place] = r;
    values[place] = v;
  };
  for (std::size_t k = 0; k < t.row.size(); ++k) {
    const T v = value(k);
    put(t.row[k], t.column[k], v);
    if (mirror != Mirror::none && t.row[k] != t.column[k]) put(t.column[k], t.row[k], other(v));
  }
  t = {};
  next = {};
  std::vector<std::pair<int, T>> column;
  std::size_t write = 0;
  for (std::size_t c = 0; c + 1 < start.size(); ++c) {
    write = tidy(matrix.row, values, static_cast<std::size_t>(start[c]), static_cast<std::size_t>(start[c + 1]), write,
                 column);
    matrix.column_start.push_back(static_cast<int>(write));
  }
  matrix.row.resize(write);
  values.resize(write);
}

}  // namespace

Matrix compress(Triplets&& t, int rows, int columns, bool is_complex, Mirror mirror) {
  demand(t.row.size() < static_cast<std::size_t>(std::numeric_limits<int>::max()) / 2, "fewer than 2^30 entries");
  Matrix matrix;
  matrix.sparse = true, matrix.is_complex = is_complex;
  matrix.rows = rows, matrix.columns = columns;
  std::vector<int> start(static_cast<std::size_t>(columns) + 1, 0);
  for (std::size_t k = 0; k < t.row.size(); ++k) {
    ++start[static_cast<std::size_t>(t.column[k]) + 1];
    if (mirror != Mirror::none && t.row[k] != t.column[k]) ++start[static_cast<std::size_t>(t.row[k]) + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  matrix.column_start.reserve(start.size());
  matrix.column_start.push_back(0);
  if (is_complex)
    fill(std::move(t), mirror, matrix, matrix.complex, start);
  else
    fill(std::move(t), mirror, matrix, matrix.real, start);
  return matrix;
}

}  // namespace kdyn::inline io::internal
