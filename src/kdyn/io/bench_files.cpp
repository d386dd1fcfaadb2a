// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/bench_files.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/bench_layout.hpp"
#include "kdyn/io/internal/csv_cells.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/series_json.hpp"

namespace kdyn::inline io {
namespace {

using internal::BenchColumn;
using internal::BenchLayout;
using internal::line_place;
using internal::Quantity;

// The table in SI, with what is needed to point at a value.
class SiTable {
 public:
  SiTable(std::string_view content, const CsvLayout& csv, const BenchLayout& layout) : csv_(csv), layout_(layout) {
    std::vector<std::size_t> wanted;
    for (const auto& column : layout.columns)
      if (column) wanted.push_back(column->index);
    table_ = read_csv_columns(content, csv, wanted);
    std::size_t next = 0;
    for (std::size_t q = 0; q < layout.columns.size(); ++q) {
      if (!layout.columns[q]) continue;
      at_[q] = next++;
      const double factor = layout.columns[q]->factor;
      std::vector<double>& values = table_.columns[at_[q]];
      for (std::size_t r = 0; r < values.size(); ++r) {
        values[r] *= factor;
        if (!std::isfinite(values[r])) refuse(static_cast<Quantity>(q), r, "a number that stays finite in SI units");
      }
    }
  }

  std::size_t rows() const { return table_.rows; }
  bool has(Quantity quantity) const { return layout_.columns[slot(quantity)].has_value(); }
  double value(Quantity quantity, std::size_t row) const { return table_.columns[at_[slot(quantity)]][row]; }
  std::vector<double> take(Quantity quantity) { return std::move(table_.columns[at_[slot(quantity)]]); }
  LineNumbers take_lines() { return std::move(table_.lines); }
  std::size_t line(std::size_t row) const { return table_.lines.of(row); }
  const std::vector<Finding>& findings() const { return table_.findings; }

  double positive(Quantity quantity, std::size_t row) const {
    const double v = value(quantity, row);
    if (!(v > 0.0)) refuse(quantity, row, "a number > 0");
    return v;
  }

  [[noreturn]] void refuse(Quantity quantity, std::size_t row, const std::string& rule) const {
    const BenchColumn& column = *layout_.columns[slot(quantity)];
    throw_bad_input(line_place(csv_.name, line(row)),
                    fmt::format("column {} holds {:.6g} {}, expected {}", in_quotes(column.name),
                                value(quantity, row) / column.factor, column.unit, rule),
                    "correct the value or delete the row");
  }

  void need_rows(std::size_t least) const {
    if (rows() < least)
      throw_bad_input(line_place(csv_.name, line(0)),
                      fmt::format("only {} row of numbers, at least {} are needed", rows(), least), "check the export");
  }

 private:
  const CsvLayout& csv_;
  const BenchLayout& layout_;
  CsvTable table_;
  std::array<std::size_t, internal::quantity_count> at_{};
};

void fill_map(const SiTable& table, StiffnessMap& map) {
  map.rows.reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    MapRow row;
    row.frequency_hz = table.positive(Quantity::frequency, r);
    row.amplitude = table.positive(Quantity::amplitude, r);
    row.k_dyn = table.positive(Quantity::k_dyn, r);
    if (table.has(Quantity::preload)) row.preload = table.value(Quantity::preload, r);
    if (table.has(Quantity::loss_angle)) {
      row.loss_angle = table.value(Quantity::loss_angle, r);
      if (std::abs(row.loss_angle) >= std::numbers::pi)
        table.refuse(Quantity::loss_angle, r, "an angle between -180 and 180 deg");
    } else {
      row.loss_angle = std::atan(table.value(Quantity::loss_factor, r));
    }
    if (table.has(Quantity::nominal_amplitude)) {
      row.nominal_amplitude = table.value(Quantity::nominal_amplitude, r);
      if (row.nominal_amplitude < 0.0) table.refuse(Quantity::nominal_amplitude, r, "a number >= 0 (0: not told)");
    }
    if (table.has(Quantity::temperature)) row.temperature_c = table.value(Quantity::temperature, r);
    row.line = table.line(r);
    map.rows.push_back(row);
  }
}

void fill_loop(SiTable& table, StaticLoop& loop) {
  table.need_rows(2);
  loop.displacement = table.take(Quantity::displacement);
  loop.force = table.take(Quantity::force);
  loop.lines = table.take_lines();
}

// Rows that repeat the time and all values of the row before are dropped; time that stands still or runs back otherwise
// is an error.
void fill_series(SiTable& table, BenchSeries& series, const CsvLayout& csv, std::vector<Finding>& findings) {
  table.need_rows(2);
  const bool has_force = table.has(Quantity::force);
  std::vector<std::size_t> repeated;
  for (std::size_t r = 1; r < table.rows(); ++r) {
    const auto same = [&](Quantity quantity) { return table.value(quantity, r) == table.value(quantity, r - 1); };
    if (table.value(Quantity::time, r) > table.value(Quantity::time, r - 1)) continue;
    if (!same(Quantity::time)) table.refuse(Quantity::time, r, "a time after that of the row before");
    if (!same(Quantity::displacement) || (has_force && !same(Quantity::force)))
      table.refuse(Quantity::time, r, "a time after that of the row before (write time with more digits)");
    repeated.push_back(r);
  }
  const std::size_t first_repeated = repeated.empty() ? 0 : table.line(repeated.front());
  const auto without_repeated = [&repeated](std::vector<double> values) {
    std::size_t kept = 0, next = 0;
    for (std::size_t r = 0; !repeated.empty() && r < values.size(); ++r) {
      if (next < repeated.size() && repeated[next] == r)
        ++next;
      else
        values[kept++] = values[r];
    }
    if (!repeated.empty()) values.resize(kept);
    return values;
  };
  LineNumbers lines = table.take_lines();
  if (repeated.empty()) {
    series.lines = std::move(lines);
  } else {
    std::size_t kept = 0, next = 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      if (next < repeated.size() && repeated[next] == r)
        ++next;
      else
        series.lines.add(kept++, lines.of(r));
    }
    findings.push_back({Severity::warning, "duplicate_time", line_place(csv.name, first_repeated),
                        fmt::format("{} rows repeat the row before them and were dropped", repeated.size()),
                        "check the export of the recorder"});
  }
  series.time = without_repeated(table.take(Quantity::time));
  series.displacement = without_repeated(table.take(Quantity::displacement));
  if (has_force) series.force = without_repeated(table.take(Quantity::force));
}

void append(std::vector<Finding>& to, const std::vector<Finding>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

const char* to_string(BenchKind kind) {
  switch (kind) {
    case BenchKind::map: return "map";
    case BenchKind::static_loop: return "static";
    case BenchKind::series: return "series";
    case BenchKind::unknown: return "unknown";
  }
  return "";
}

BenchFile parse_bench(std::string_view content, const std::string& name, const BenchReadOptions& options) {
  if (looks_like_json(content)) return parse_series_json(content, name, options);
  const CsvLayout csv = detect_csv(content, name, &internal::looks_like_bench_header);
  const BenchLayout layout = internal::find_bench_layout(csv, options);
  SiTable table(content, csv, layout);

  BenchFile file;
  file.kind = layout.kind;
  append(file.findings, csv.findings);
  append(file.findings, layout.findings);
  append(file.findings, table.findings());
  const Source source{name, sha256(content), layout.conversions};
  switch (layout.kind) {
    case BenchKind::map:
      fill_map(table, file.map);
      file.map.axis = layout.axis;
      file.map.source = source;
      break;
    case BenchKind::static_loop:
      fill_loop(table, file.loop);
      file.loop.axis = layout.axis;
      file.loop.source = source;
      break;
    case BenchKind::series:
      fill_series(table, file.series, csv, file.findings);
      file.series.axis = layout.axis;
      file.series.source = source;
      break;
    case BenchKind::unknown: demand(false, "a recognised layout has a kind"); break;
  }
  return file;
}

BenchFile read_bench_file(const std::string& path, const BenchReadOptions& options) {
  if (is_recording(path)) return internal::bench_of(path, options);
  return parse_bench(read_text(path), path, options);
}

BenchFile inspect_bench_file(const std::string& path, const BenchReadOptions& options) {
  const std::string content = read_text(path);
  try {
    return parse_bench(content, path, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    BenchFile file;
    file.findings.push_back({Severity::serious, "unreadable", error.where(), error.message(), error.remedy()});
    return file;
  }
}

}  // namespace kdyn::inline io
