// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file of a workbook: the archive and what libzip makes of it. The XML in it: fuzz_sheet.
// max_len: 4096
#include "bench_guard.hpp"

#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view content) {
    for (const kdyn::DataTable& table : kdyn::read_spreadsheet(content, "fuzz.xlsx")) kdyn::table_csv(table);
  };
  // Deflate makes at most 1032 bytes of one; the XML of a cell is longer than what is held of it.
  return fuzz::check(data, size, read, fuzz::table_room + 4 * 1032 * size);
}
