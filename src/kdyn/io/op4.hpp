// SPDX-License-Identifier: Apache-2.0
// Nastran OUTPUT4 matrices: text and binary, both byte orders, 32- and 64-bit integers, dense, nonbigmat and bigmat
// strings, real and complex, single and double precision. The variant is found from the content.
//
// A matrix is held dense when at least a quarter of it is stored, else sparse. Where a column is bad, a finding names
// matrix, column (record) and byte and the other columns are kept; where the record structure itself breaks, reading
// ends there. Form 6 (symmetric) sets Matrix::symmetric; other forms (diagonal, triangular) are read as they are
// stored.
#pragma once

#include <string>
#include <string_view>

#include "kdyn/data/matrix_set.hpp"

namespace kdyn::inline io {

bool looks_like_op4(std::string_view content);
MatrixSet parse_op4(std::string_view content, const std::string& name);
MatrixSet read_op4(const std::string& path);

enum class Op4Storage {
  dense,
  nonbigmat,
  bigmat,
  automatic
};  // automatic: dense for dense, bigmat for sparse matrices

struct Op4WriteOptions {
  bool binary = true, big_endian = false, wide_integers = false;  // wide: 64-bit integers and records of 8-byte words
  Op4Storage storage = Op4Storage::automatic;
};
// Single precision where Matrix::single_precision says so. Text has 17 digits, so doubles survive. Names are cut to 8
// characters. Throws Error(bad_input) when nonbigmat cannot hold a matrix (65535 rows at most).
std::string op4_bytes(const MatrixSet& matrices, const Op4WriteOptions& options = {});

}  // namespace kdyn::inline io
