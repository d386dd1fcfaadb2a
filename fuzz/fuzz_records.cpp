// SPDX-License-Identifier: Apache-2.0
// Any numbers as a record of sines: no sequence of sines, or points of a map that are finite. The first byte sets the
// step, each further four are a displacement and a force.
// max_len: 400
#include <cmath>
#include <cstdint>
#include <cstring>

#include "guard.hpp"

#include "kdyn/door/reduce_sines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto read = [](std::string_view content) {
    kdyn::BenchSeries series;
    const double step = 1e-3 * (1 + static_cast<unsigned char>(content.front()));
    for (std::size_t at = 1; at + 4 <= content.size(); at += 4) {
      std::int16_t pair[2];
      std::memcpy(pair, content.data() + at, sizeof pair);
      series.time.push_back(step * static_cast<double>(series.time.size()));
      series.displacement.push_back(1e-6 * pair[0]);
      series.force.push_back(0.1 * pair[1]);
    }
    std::vector<kdyn::Finding> findings;
    const auto map = kdyn::reduce_sines(series, findings);
    if (!map) return;
    for (const kdyn::MapRow& row : map->rows)
      if (!(row.frequency_hz > 0.0) || !std::isfinite(row.k_dyn) || !std::isfinite(row.loss_angle)) __builtin_trap();
  };
  return fuzz::check(data, size, read, std::size_t{8} << 20);
}
