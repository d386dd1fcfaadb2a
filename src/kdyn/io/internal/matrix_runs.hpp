// SPDX-License-Identifier: Apache-2.0
// A matrix as solvers write it: runs of consecutive rows within a column. Collected first, then laid out dense or
// sparse at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kdyn/data/matrix_set.hpp"

namespace kdyn::inline io::internal {

struct MatrixRun {
  int column = 0, row = 0, count = 0;  // values
  std::size_t place = 0;               // of the first value; what it counts is the reader's matter
};

struct MatrixPlan {
  std::string name;
  int rows = 0, columns = 0;
  bool is_complex = false, symmetric = false, single_precision = false;
  std::vector<MatrixRun> runs;
};

// Copies `count` values (pairs when complex) that start at `place` to `target`.
using CopyRun = std::function<void(std::size_t place, std::size_t count, double* target)>;

// Lays the runs out. `limit` bytes are not exceeded: a matrix that needs more, or whose runs overlap, gives a finding
// (the later run is dropped, or the matrix is left empty) at `where`.
Matrix lay_out(MatrixPlan&& plan, const CopyRun& copy, std::size_t limit, const std::string& where,
               std::vector<Finding>& findings);

}  // namespace kdyn::inline io::internal
