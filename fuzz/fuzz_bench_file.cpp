// SPDX-License-Identifier: Apache-2.0
// Any bytes as a bench file: refused with an Error of code bad_input, or read, examined by the doctor, written and read
// again as the same kind.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kdyn/base/error.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/io/bench_tables.hpp"

namespace {

void examine_and_write(const kdyn::BenchFile& file) {
  std::string written;
  switch (file.kind) {
    case kdyn::BenchKind::map:
      kdyn::examine(file.map);
      kdyn::summarise(file.map);
      written = kdyn::map_csv(file.map);
      break;
    case kdyn::BenchKind::static_loop:
      kdyn::examine(file.loop);
      kdyn::summarise(file.loop);
      written = kdyn::static_csv(file.loop);
      break;
    case kdyn::BenchKind::series:
      kdyn::examine(file.series);
      kdyn::summarise(file.series);
      written = kdyn::series_csv(file.series);
      break;
    case kdyn::BenchKind::unknown: __builtin_trap();
  }
  try {
    const auto again = kdyn::read_bench_tables(written, "written.csv").sets;
    if (again.size() != 1 || again.front().bench.kind != file.kind) __builtin_trap();
  } catch (const kdyn::Error&) {
    // Numbers at the edge of the range of double may not survive the way to file units and back.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    for (const kdyn::BenchSet& set : kdyn::read_bench_tables(content, "fuzz.csv").sets) examine_and_write(set.bench);
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  return 0;
}
