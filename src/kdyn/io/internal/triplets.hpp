// SPDX-License-Identifier: Apache-2.0
// Entries of a matrix as lists, turned into compressed columns by counting: no sort of the whole, no second copy.
#pragma once

#include <cstddef>
#include <vector>

#include "kdyn/data/matrix_set.hpp"

namespace kdyn::inline io::internal {

struct Triplets {
  std::vector<int> row, column;   // counted from 0
  std::vector<double> real;       // empty: every value is 1
  std::vector<double> imaginary;  // empty: real matrix
};

enum class Mirror { none, symmetric, skew, hermitian };  // entries off the diagonal stand for two

// How many columns a matrix may claim where so many bytes may be held: compressing has three lists of column starts at
// a time, and the entries need the other half.
constexpr std::size_t most_columns(std::size_t bytes) { return bytes / (6 * sizeof(int)); }

// Entries of one place are added in their order. The lists are let go on the way.
Matrix compress(Triplets&& entries, int rows, int columns, bool is_complex, Mirror mirror);

}  // namespace kdyn::inline io::internal
