// SPDX-License-Identifier: Apache-2.0
// Tables side by side, as spreadsheets hold them: the names of the columns come up again to the right, and a line above
// says which table is which ("Amplitude 0.05 mm", "x direction", "Mount A").
#pragma once

#include <vector>

#include "kdyn/io/internal/table_blocks.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io::internal {

// Each of the tables alone, its cells where they were; nothing when there is one table, or when no line above tells
// them apart (two columns of one meaning are then refused by those who need one).
std::vector<DataTable> side_by_side(const DataTable& table, const TableBlocks& blocks);

}  // namespace kdyn::inline io::internal
