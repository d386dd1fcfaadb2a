// SPDX-License-Identifier: Apache-2.0
// Which bench layout a table follows, which of its columns are read and what turns them into SI.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/io/bench_files.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/column_names.hpp"

namespace kdyn::inline io::internal {

struct BenchColumn {
  std::size_t index = 0;  // in CsvLayout::columns
  bool peak_to_peak = false;
  std::string name, unit;  // as written
  double factor = 1.0;     // to SI, zero-to-peak
};

struct BenchLayout {
  BenchKind kind = BenchKind::unknown;
  AxisKind axis = AxisKind::translation;
  std::array<std::optional<BenchColumn>, quantity_count> columns;  // by Quantity; nothing: not in the file or not read
  std::vector<UnitConversion> conversions;
  std::vector<Finding> findings;
};

constexpr std::size_t slot(Quantity quantity) { return static_cast<std::size_t>(quantity); }

// At least two names of the bench layouts.
bool looks_like_bench_header(const std::vector<std::string>& cells);

// Throws Error(bad_input) when no layout fits, a column is named twice, or a unit is missing or impossible.
BenchLayout find_bench_layout(const CsvLayout& csv, const BenchReadOptions& options);

}  // namespace kdyn::inline io::internal
