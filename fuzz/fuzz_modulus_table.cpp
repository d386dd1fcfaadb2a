// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table of storage and loss moduli over frequency and temperature.
// max_len: 512
#include "guard.hpp"

#include "kdyn/io/modulus_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view content) {
    const auto table = kdyn::read_modulus_table(content, "fuzz.csv");
    if (!table) return;
    const std::size_t rows = table->frequency_hz.size();
    if (table->temperature_c.size() != rows || table->storage.size() != rows || table->loss.size() != rows)
      __builtin_trap();
    for (std::size_t i = 0; i < rows; ++i)
      if (!(table->frequency_hz[i] > 0.0) || !(table->storage[i] > 0.0)) __builtin_trap();
  };
  return fuzz::check(data, size, read, fuzz::table_room);
}
