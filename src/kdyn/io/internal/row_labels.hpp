// SPDX-License-Identifier: Apache-2.0
// What columns say of rows beside numbers: labels of parts and directions, columns that tell parts apart although their
// names do not say so, and times of day.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/io/internal/bench_assembly.hpp"

namespace kdyn::inline io::internal {

// Texts of a label column; a row without one keeps that of the row above (merged or written once).
std::vector<std::string> label_texts(const DataTable& table, const TableBlock& block, std::size_t column,
                                     bool direction);

// Gives rows a part where the same points come up under each of a few texts or numbers of a column without a meaning:
// cavities, compounds, states. Not where the column counts repeats ("Run", "Cycle"), and not by force of a hint.
void label_parts(const DataTable& table, const TableBlock& block, const std::vector<TableColumn>& columns,
                 DataBlock& data, std::vector<Finding>& findings);

// Takes a column of parts back whose numbers only count the rows ("Sample" 0, 1, 2 ...): they rise by one, and no point
// comes up twice.
void drop_counter(const std::string& title, DataBlock& data, std::vector<Finding>& findings);

// Parts and directions by the lines of text above tables of one file or sheet ("Mount A", "Mount B"): where the same
// points come up below several of them they are never one measurement. `titles`: one for each block, empty for none.
void label_by_titles(const std::vector<std::string>& titles, std::vector<DataBlock>& blocks,
                     std::vector<Finding>& findings);

// A column of times of day ("10:22:01,250", with or without a date, AM and PM; dates of a sheet) in seconds since the
// first row; nothing when a cell is none.
std::optional<std::vector<double>> clock_seconds(const DataTable& table, const TableBlock& block, std::size_t column);

}  // namespace kdyn::inline io::internal
