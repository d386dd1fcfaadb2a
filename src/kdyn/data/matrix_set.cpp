// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/matrix_set.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"

namespace kdyn::inline data {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::complex<double> value_at(const Matrix& matrix, std::size_t k) {
  return matrix.is_complex ? matrix.complex[k] : std::complex<double>(matrix.real[k]);
}

void push(Matrix& matrix, std::complex<double> value) {
  if (matrix.is_complex)
    matrix.complex.push_back(value);
  else
    matrix.real.push_back(value.real());
}

// Everything but the values and their places.
Matrix empty_like(const Matrix& matrix, bool sparse) {
  Matrix result;
  result.name = matrix.name;
  result.rows = matrix.rows, result.columns = matrix.columns;
  result.sparse = sparse, result.is_complex = matrix.is_complex;
  result.symmetric = matrix.symmetric, result.single_precision = matrix.single_precision;
  result.row_dofs = matrix.row_dofs, result.column_dofs = matrix.column_dofs;
  return result;
}

}  // namespace

std::complex<double> Matrix::at(int r, int c) const {
  demand(r >= 0 && r < rows && c >= 0 && c < columns, "a place within the matrix");
  if (!sparse) return value_at(*this, index(c) * index(rows) + index(r));
  const auto first = row.begin() + column_start[index(c)], last = row.begin() + column_start[index(c) + 1];
  const auto place = std::lower_bound(first, last, r);
  return place != last && *place == r ? value_at(*this, static_cast<std::size_t>(place - row.begin())) : 0.0;
}

Matrix sparse_matrix(std::string name, int rows, int columns, bool is_complex, std::vector<MatrixEntry> entries) {
  Matrix matrix;
  matrix.name = std::move(name);
  matrix.rows = rows, matrix.columns = columns;
  matrix.sparse = true, matrix.is_complex = is_complex;
  // Stable, so that sums of one place do not depend on the sort.
  std::stable_sort(entries.begin(), entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  matrix.column_start.assign(index(columns) + 1, 0);
  matrix.row.reserve(entries.size());
  for (std::size_t k = 0; k < entries.size();) {
    const MatrixEntry& entry = entries[k];
    demand(entry.row >= 0 && entry.row < rows && entry.column >= 0 && entry.column < columns,
           "entries within the matrix");
    std::complex<double> sum = 0.0;
    std::size_t next = k;
    while (next < entries.size() && entries[next].row == entry.row && entries[next].column == entry.column)
      sum += entries[next++].value;
    matrix.row.push_back(entry.row);
    push(matrix, sum);
    ++matrix.column_start[index(entry.column) + 1];
    k = next;
  }
  for (std::size_t c = 0; c < index(columns); ++c) matrix.column_start[c + 1] += matrix.column_start[c];
  return matrix;
}

Matrix to_dense(const Matrix& matrix) {
  if (!matrix.sparse) return matrix;
  Matrix result = empty_like(matrix, false);
  const std::size_t size = index(matrix.rows) * index(matrix.columns);
  if (matrix.is_complex)
    result.complex.assign(size, 0.0);
  else
    result.real.assign(size, 0.0);
  for (std::size_t c = 0; c < index(matrix.columns); ++c)
    for (auto k = index(matrix.column_start[c]); k < index(matrix.column_start[c + 1]); ++k) {
      const std::size_t place = c * index(matrix.rows) + index(matrix.row[k]);
      if (matrix.is_complex)
        result.complex[place] = matrix.complex[k];
      else
        result.real[place] = matrix.real[k];
    }
  return result;
}

Matrix to_sparse(const Matrix& matrix) {
  if (matrix.sparse) return matrix;
  Matrix result = empty_like(matrix, true);
  result.column_start.push_back(0);
  for (std::size_t c = 0; c < index(matrix.columns); ++c) {
    for (std::size_t r = 0; r < index(matrix.rows); ++r)
      if (const std::complex<double> value = value_at(matrix, c * index(matrix.rows) + r); value != 0.0) {
        result.row.push_back(static_cast<int>(r));
        push(result, value);
      }
    result.column_start.push_back(static_cast<int>(result.row.size()));
  }
  return result;
}

bool is_symmetric(const Matrix& matrix, double relative_tolerance) {
  if (matrix.rows != matrix.columns) return false;
  double largest = 0.0;
  for (std::size_t k = 0; k < matrix.nonzeros(); ++k) largest = std::max(largest, std::abs(value_at(matrix, k)));
  const double allowed = relative_tolerance * largest;
  for (int c = 0; c < matrix.columns; ++c) {
    const auto first = matrix.sparse ? matrix.column_start[index(c)] : 0,
               last = matrix.sparse ? matrix.column_start[index(c) + 1] : matrix.rows;
    for (int k = first; k < last; ++k) {
      const int r = matrix.sparse ? matrix.row[index(k)] : k;
      if (std::abs(matrix.at(r, c) - matrix.at(c, r)) > allowed) return false;
    }
  }
  return true;
}

const Matrix* MatrixSet::find(const std::string& name) const {
  const auto found =
      std::find_if(matrices.begin(), matrices.end(), [&](const Matrix& matrix) { return matrix.name == name; });
  return found == matrices.end() ? nullptr : &*found;
}

}  // namespace kdyn::inline data
