// SPDX-License-Identifier: Apache-2.0
// What readers of bench measurements promise beside that of guard.hpp: numbers are finite, stiffness is positive, times
// increase.
#pragma once

#include <cmath>

#include "guard.hpp"

#include "kdyn/io/bench_tables.hpp"

namespace fuzz {

inline void check_sets(const std::vector<kdyn::BenchSet>& sets) {
  for (const kdyn::BenchSet& set : sets) {
    for (const kdyn::MapRow& row : set.bench.map.rows)
      if (!(row.frequency_hz > 0.0) || !(row.k_dyn > 0.0) || !std::isfinite(row.k_dyn) ||
          !std::isfinite(row.loss_angle) || !std::isfinite(row.preload) || !(row.amplitude > 0.0))
        __builtin_trap();
    const kdyn::BenchSeries& series = set.bench.series;
    for (std::size_t i = 0; i < series.time.size(); ++i)
      if (!std::isfinite(series.displacement[i]) || (i > 0 && !(series.time[i] > series.time[i - 1]))) __builtin_trap();
    for (const std::vector<double>* force : {&series.force, &set.bench.loop.force, &set.bench.loop.displacement})
      for (const double value : *force)
        if (!std::isfinite(value)) __builtin_trap();
  }
}

}  // namespace fuzz
