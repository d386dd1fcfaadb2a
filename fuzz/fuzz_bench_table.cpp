// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table of a bench in any layout: refused with an Error of code bad_input and a place, or read with
// finite numbers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/base/error.hpp"
#include "kdyn/io/bench_tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    for (const kdyn::BenchSet& set : kdyn::read_bench_tables(content, "fuzz.csv").sets) {
      for (const kdyn::MapRow& row : set.bench.map.rows)
        if (!(row.frequency_hz > 0.0) || !(row.k_dyn > 0.0) || !std::isfinite(row.k_dyn) ||
            !std::isfinite(row.loss_angle))
          __builtin_trap();
      const kdyn::BenchSeries& series = set.bench.series;
      for (std::size_t i = 1; i < series.time.size(); ++i)
        if (!(series.time[i] > series.time[i - 1])) __builtin_trap();
    }
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty() || error.where().empty())
      __builtin_trap();
  }
  return 0;
}
