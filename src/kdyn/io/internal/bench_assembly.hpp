// SPDX-License-Identifier: Apache-2.0
// Columns of numbers with their meaning become stiffness maps, static loops and time records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/internal/table_columns.hpp"

namespace kdyn::inline io::internal {

struct DataColumn {
  HeaderName name;
  std::string title, place;  // of the header cell
  std::size_t index = 0;     // in the table
  bool by_hint = false, unit_by_hint = false;
  std::vector<double> values;  // as written, NaN for gaps
};

// One block of a table: columns of equal length, what holds for all rows, and labels of single rows.
struct DataBlock {
  std::vector<DataColumn> columns;
  std::map<Quantity, BlockConstant> constants;
  std::size_t rows = 0;
  LineNumbers lines;
  std::vector<std::string> row_parts, row_directions, row_dates, row_batches;  // empty, or one for each row
  BenchLabels labels;
  std::vector<std::string> unused;  // titles of columns without a meaning
  std::string where;                // of the header
  double step_s = 0.0;              // between rows, where a setting tells a sampling rate; else 0
  std::string step_from;            // that setting
  bool needs_all_rows = false;      // what was decided by the first rows must be decided by all of them
};

// Adds what the block holds to `sets`; throws when it is no bench measurement.
void assemble(DataBlock&& block, const DataTable& table, const BenchReadOptions& options, std::vector<BenchSet>& sets,
              std::vector<Finding>& findings);

// True when the second block holds, over the same frequencies, what the first lacks: matrices of stiffness and angle
// below each other.
bool completes(const DataBlock& first, const DataBlock& second);

}  // namespace kdyn::inline io::internal
