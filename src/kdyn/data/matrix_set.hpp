// SPDX-License-Identifier: Apache-2.0
// Named matrices as solvers exchange them: sparse (compressed columns) or dense (column-major), real or complex.
//
// A symmetric matrix is held with both triangles; `symmetric` is what a writer may use. Compressed columns are ready
// for Eigen::Map<const Eigen::SparseMatrix<double>>(rows, columns, nonzeros(), column_start.data(), row.data(),
// real.data()).
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline data {

struct Matrix {
  std::string name;
  int rows = 0, columns = 0;
  bool sparse = false, is_complex = false, symmetric = false;
  bool single_precision = false;  // the source held 32-bit numbers
  // Sparse: rows ascend within a column; column_start has columns + 1 entries. Dense: both are empty.
  std::vector<int> column_start, row;
  std::vector<double> real;                   // real matrices
  std::vector<std::complex<double>> complex;  // complex matrices
  std::vector<Dof> row_dofs, column_dofs;     // empty or one each

  std::size_t nonzeros() const { return is_complex ? complex.size() : real.size(); }  // stored values
  // Value at a place; binary search within the column when sparse.
  std::complex<double> at(int r, int c) const;
};

struct MatrixEntry {
  int row = 0, column = 0;
  std::complex<double> value;
};

// Builds a sparse matrix from entries in any order; entries of one place are added. Indices must be within rows x
// columns.
Matrix sparse_matrix(std::string name, int rows, int columns, bool is_complex, std::vector<MatrixEntry> entries);
Matrix to_dense(const Matrix& matrix);
Matrix to_sparse(const Matrix& matrix);  // drops exact zeros of a dense matrix
bool is_symmetric(const Matrix& matrix, double relative_tolerance = 0.0);

struct MatrixSet {
  std::vector<Matrix> matrices;
  Source source;
  std::vector<Finding> findings;

  const Matrix* find(const std::string& name) const;
};

}  // namespace kdyn::inline data
