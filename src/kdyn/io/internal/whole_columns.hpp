// SPDX-License-Identifier: Apache-2.0
// Columns of a large plain table of text, straight from the bytes: what the columns mean was told by its head.
#pragma once

#include <string_view>
#include <vector>

#include "kdyn/io/internal/bench_assembly.hpp"
#include "kdyn/io/internal/table_blocks.hpp"

namespace kdyn::inline io::internal {

// `block` holds the columns of the head of `text` (the table `head`, its only block `rows`); afterwards those of the
// whole text. False, and nothing changed, when the text needs the reader of cells: gaps, footers, labels, thousands in
// groups, or numbers that come out otherwise than in the head.
bool read_whole_columns(std::string_view text, const DataTable& head, const TableBlock& rows, DataBlock& block,
                        std::vector<Finding>& findings);

}  // namespace kdyn::inline io::internal
