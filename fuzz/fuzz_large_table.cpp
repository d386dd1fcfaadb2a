// SPDX-License-Identifier: Apache-2.0
// Large plain tables are read in one pass. Here every table counts as large, and what the quick reader reads is what
// the patient one reads.
// max_len: 200
#include <optional>

#include "bench_guard.hpp"

#include "kdyn/io/bench_tables.hpp"

namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) { return a == b; }

// Nothing when it is refused.
std::optional<kdyn::BenchTables> read_by(std::string_view content, const kdyn::BenchReadOptions& options) {
  try {
    return kdyn::read_bench_tables(content, "fuzz.csv", options);
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input) throw;
    return std::nullopt;
  }
}

void go_through(std::string_view content) {
  kdyn::BenchReadOptions quick, patient;
  quick.large_text = 0;
  patient.large_text = ~std::size_t{0};
  const auto first = read_by(content, quick), second = read_by(content, patient);
  if (first.has_value() != second.has_value()) __builtin_trap();
  if (!first) return;
  const kdyn::BenchTables &one = *first, &two = *second;
  fuzz::check_sets(one.sets);
  if (one.sets.size() != two.sets.size()) __builtin_trap();
  for (std::size_t i = 0; i < one.sets.size(); ++i) {
    const kdyn::BenchFile &a = one.sets[i].bench, &b = two.sets[i].bench;
    if (a.kind != b.kind || a.map.rows.size() != b.map.rows.size() || !same(a.series.time, b.series.time) ||
        !same(a.series.displacement, b.series.displacement) || !same(a.series.force, b.series.force) ||
        !same(a.loop.displacement, b.loop.displacement) || !same(a.loop.force, b.loop.force))
      __builtin_trap();
    for (std::size_t r = 0; r < a.map.rows.size(); ++r)
      if (a.map.rows[r].frequency_hz != b.map.rows[r].frequency_hz || a.map.rows[r].k_dyn != b.map.rows[r].k_dyn ||
          a.map.rows[r].amplitude != b.map.rows[r].amplitude || a.map.rows[r].line != b.map.rows[r].line)
        __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, go_through, fuzz::table_room);
}
