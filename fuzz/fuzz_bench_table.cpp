// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table of a bench in any layout, or as JSON records of a laboratory: refused with an Error of code
// bad_input and a place, or read.
// max_len: 200
#include "bench_guard.hpp"

#include "kdyn/io/bench_tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view content) {
    try {
      fuzz::check_sets(kdyn::read_bench_tables(content, "fuzz.csv").sets);
    } catch (const kdyn::Error& error) {
      if (error.where().empty()) __builtin_trap();
      throw;
    }
  };
  return fuzz::check(data, size, read, fuzz::table_room);
}
