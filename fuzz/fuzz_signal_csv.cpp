// SPDX-License-Identifier: Apache-2.0
// Signal tables and vehicle decays from any bytes: returns or throws Error, nothing else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/base/error.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/vehicle/decay_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  kdyn::SignalTableOptions options;
  options.text_columns = {"case"};
  options.plain_columns = {"config", "k"};
  try {
    const kdyn::SignalSet table = kdyn::parse_signal_table(content, "fuzz", options);
    try {
      kdyn::signals_of(table);
    } catch (const kdyn::Error&) {
    }
    kdyn::DecayFileOptions decays;
    decays.sample_interval_s = 0.01;
    kdyn::DecayFiles files;
    kdyn::add_decays(table, 0, decays, files);
  } catch (const kdyn::Error&) {
  }
  return 0;
}
