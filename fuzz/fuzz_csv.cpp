// SPDX-License-Identifier: Apache-2.0
// Any bytes as delimited text: they are read into finite numbers or refused with an Error of code bad_input.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/io/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    const kdyn::CsvLayout layout = kdyn::detect_csv(content, "fuzz.csv");
    std::vector<std::size_t> all(layout.columns.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const kdyn::CsvTable table = kdyn::read_csv_columns(content, layout, all);
    for (const auto& column : table.columns) {
      if (column.size() != table.rows) __builtin_trap();
      for (const double value : column)
        if (!std::isfinite(value)) __builtin_trap();
    }
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  return 0;
}
