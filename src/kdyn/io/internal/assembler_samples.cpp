// SPDX-License-Identifier: Apache-2.0
// Static loops and time records.
#include "kdyn/io/internal/assembler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {

using enum Quantity;

void Assembler::fill_samples(BenchKind kind, const std::vector<std::size_t>& rows, BenchSet& set) {
  const bool series = kind == BenchKind::series;
  const bool has_force = column(force) != nullptr;
  std::vector<double> t, x, f;
  LineNumbers lines;
  std::vector<std::size_t> gaps;
  std::set<std::string> gap_columns;
  std::size_t repeated = 0, first_repeated = 0;
  for (const std::size_t i : rows) {
    bool gap = false;
    for (const auto& [q, supply] : supply_)
      if (supply.column != nullptr && std::isnan(supply.column->values[i]))
        gap = true, gap_columns.insert(supply.column->title);
    if (gap) {
      gaps.push_back(i);
      continue;
    }
    const double xi = supply_.at(displacement).at(i), fi = has_force ? supply_.at(force).at(i) : 0.0;
    if (!std::isfinite(xi) || !std::isfinite(fi)) refuse(displacement, i, "numbers that stay finite in SI units");
    if (series) {
      const double ti = supply_.at(time).at(i);
      if (!t.empty() && !(ti > t.back())) {
        if (ti < t.back()) refuse(time, i, "a time after that of the row before");
        if (xi != x.back() || (has_force && fi != f.back()))
          refuse(time, i, "a time after that of the row before (write time with more digits)");
        if (repeated++ == 0) first_repeated = block_.lines.of(i);
        continue;
      }
      t.push_back(ti);
    }
    lines.add(x.size(), block_.lines.of(i));
    x.push_back(xi);
    if (has_force) f.push_back(fi);
  }
  if (x.size() < 2)
    throw_bad_input(fmt::format("{}:{}", table_.name(), block_.lines.of(0)),
                    fmt::format("only {} row of numbers, at least 2 are needed", x.size()), "check the export");
  if (repeated > 0)
    note("duplicate_time", fmt::format("{}:{}", table_.name(), first_repeated),
         fmt::format("{} rows repeat the row before them and were dropped", repeated),
         "check the export of the recorder", Severity::warning);
  tell_gaps(gaps, gap_columns, rows.size());
  store(kind, std::move(t), std::move(x), std::move(f), std::move(lines), set);
}

// Long records without gaps and repeated rows are scaled where they are.
bool Assembler::move_samples(BenchKind kind, BenchSet& set) {
  if (!alone_ || block_.rows < 2) return false;
  const bool series = kind == BenchKind::series;
  for (const auto& [q, supply] : supply_) {
    if (supply.column == nullptr) continue;
    const std::vector<double>& values = supply.column->values;
    const double factor = supply.factor;
    if (!std::all_of(values.begin(), values.end(), [factor](double v) { return std::isfinite(v * factor); }))
      return false;
    // In s, where two times far below a microsecond may be one.
    const auto does_not_rise = [factor](double before, double after) { return !(after * factor > before * factor); };
    if (q == time && series && std::adjacent_find(values.begin(), values.end(), does_not_rise) != values.end())
      return false;
  }
  const auto take = [&](Quantity q) {
    const DataColumn* source = column(q);
    if (source == nullptr) return std::vector<double>();
    std::vector<double> values =
        std::move(block_.columns[static_cast<std::size_t>(source - block_.columns.data())].values);
    const double factor = supply_.at(q).factor;
    for (double& v : values) v *= factor;
    return values;
  };
  store(kind, take(time), take(displacement), take(force), std::move(block_.lines), set);
  return true;
}

void Assembler::store(BenchKind kind, std::vector<double>&& t, std::vector<double>&& x, std::vector<double>&& f,
                      LineNumbers&& lines, BenchSet& set) const {
  if (kind == BenchKind::series) {
    BenchSeries& series = set.bench.series;
    series.axis = axis_;
    series.time = std::move(t);
    series.displacement = std::move(x);
    series.force = std::move(f);
    series.lines = std::move(lines);
    series.source.conversions = conversions_;
  } else {
    StaticLoop& loop = set.bench.loop;
    loop.axis = axis_;
    loop.displacement = std::move(x);
    loop.force = std::move(f);
    loop.lines = std::move(lines);
    loop.source.conversions = conversions_;
  }
}

}  // namespace kdyn::inline io::internal
