// SPDX-License-Identifier: Apache-2.0
// Rows of a table sorted into what they are: settings ("Vorlast [N]; 850", "# Amplitude: 0.05 mm"), header rows, rows
// of numbers, footers.
//
// A block is a header with the rows of numbers below it. A setting above a block holds for it and for the blocks that
// follow, until it is set again; a block without a header of its own takes the last one. Rows below the numbers that
// start with a word such as "mean" are footers.
#pragma once

#include <string>
#include <vector>

#include "kdyn/io/internal/cell_numbers.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io::internal {

// "Preload: 850 N" and its kin. Text settings (part, direction) have no number.
struct Setting {
  std::string key;    // as written, without = and :
  std::string value;  // as written
  bool is_number = false;
  double number = 0.0;
  std::string unit;  // as written, from behind the number or from brackets of the key
  std::string place;
};

struct TableBlock {
  std::vector<std::size_t> header;  // rows of the table, from the top; may be those of an earlier block, or none
  std::vector<std::size_t> rows;    // of numbers
  std::vector<Setting> settings;    // that hold here, the nearest last
  std::vector<std::string> titles;  // lines of text right above the header that are neither setting nor header
};

struct TableBlocks {
  std::vector<TableBlock> blocks;
  Decimal decimal = Decimal::unknown;  // of the table as a whole; columns may differ
  std::vector<Finding> findings;       // footers
};

// Throws Error(bad_input) when a cell among numbers is text.
TableBlocks find_blocks(const DataTable& table, Decimal told);

// A cell as a number, whatever its kind; nothing for text and gaps.
std::optional<double> cell_number(const DataCell& cell, Decimal decimal);
bool is_gap(const DataCell& cell);  // empty, an error, or a sign for a missing value

}  // namespace kdyn::inline io::internal
