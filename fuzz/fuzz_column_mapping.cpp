// SPDX-License-Identifier: Apache-2.0
// A table with what the user says of its columns: the first line holds meaning=column pairs, the second units, the
// rest is the table. Refused with an Error of code bad_input, or read.
// max_len: 200
#include <algorithm>
#include <map>
#include <string>

#include "bench_guard.hpp"

#include "kdyn/io/bench_tables.hpp"

namespace {

std::string_view take_until(std::string_view& text, char mark) {
  const std::string_view out = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(out.size() + 1, text.size()));
  return out;
}

void take_pairs(std::string_view line, std::map<std::string, std::string>& out) {
  while (!line.empty()) {
    std::string_view pair = take_until(line, ',');
    const std::string key(take_until(pair, '='));
    out[key] = std::string(pair);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view content) {
    kdyn::BenchReadOptions options;
    take_pairs(take_until(content, '\n'), options.columns);
    take_pairs(take_until(content, '\n'), options.units);
    fuzz::check_sets(kdyn::read_bench_tables(content, "fuzz.csv", options).sets);
  };
  return fuzz::check(data, size, read, fuzz::table_room);
}
