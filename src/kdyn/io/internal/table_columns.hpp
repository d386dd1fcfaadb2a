// SPDX-License-Identifier: Apache-2.0
// What the columns of a block mean: quantity, unit, level and direction of each, from its header rows, from hints and
// from what the numbers show.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/io/bench_files.hpp"
#include "kdyn/io/internal/header_names.hpp"
#include "kdyn/io/internal/table_blocks.hpp"

namespace kdyn::inline io::internal {

struct TableColumn {
  std::size_t index = 0;
  std::string title;  // header cells joined
  HeaderName name;
  bool by_hint = false, unit_by_hint = false;
  Decimal decimal = Decimal::unknown;
};

// A value that holds for all rows of a block.
struct BlockConstant {
  double value = 0.0;  // SI, zero-to-peak
  std::string text, place;
};

struct BlockColumns {
  std::vector<TableColumn> columns;  // all of the table
  std::map<Quantity, BlockConstant> constants;
  std::string part, direction, part_from, direction_from, date, batch;
  double step_s = 0.0;    // between rows, where a setting tells a sampling rate; else 0
  std::string step_from;  // that setting
  std::vector<Finding> findings;
};

BlockColumns read_columns(const DataTable& table, const TableBlock& block, Decimal decimal,
                          const BenchReadOptions& options);

// The decimal mark of a column; throws where marks are mixed or nothing decides.
Decimal column_decimal(const DataTable& table, const std::vector<std::size_t>& rows, std::size_t column,
                       Decimal of_table, bool told);

// Numbers of a column in the rows, NaN for gaps. Throws at a cell that is neither.
std::vector<double> column_numbers(const DataTable& table, const std::vector<std::size_t>& rows,
                                   const TableColumn& column);

// The two parts of a column whose cells are complex numbers, NaN for gaps; nothing when no cell is complex. Throws at a
// cell that is neither.
struct ComplexColumn {
  std::vector<double> real, imaginary;
};
std::optional<ComplexColumn> column_complex(const DataTable& table, const std::vector<std::size_t>& rows,
                                            const TableColumn& column);

}  // namespace kdyn::inline io::internal
