// SPDX-License-Identifier: Apache-2.0
// A checkpoint of kdyn update: a file of any bytes is a row of numbers of this job, or is as if it were not there. Rows
// that are stored come back with all digits.
// max_len: 1000
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "kdyn/base/file.hpp"
#include "kdyn/update/checkpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kdyn;
  static std::string place = (std::filesystem::temp_directory_path() / "kdyn_fuzz_XXXXXX").string();
  static const bool ready = ::mkdtemp(place.data()) != nullptr;
  if (!ready) return 0;
  const update::Checkpoint checkpoint{place, "key"};
  write_text(place + "/start_0000.json", std::string(reinterpret_cast<const char*>(data), size));
  checkpoint.find("start", 0);
  if (checkpoint.find("start", 1)) __builtin_trap();
  std::vector<double> row(size / sizeof(double));
  std::memcpy(row.data(), data, row.size() * sizeof(double));
  std::erase_if(row, [](double x) { return !std::isfinite(x); });
  checkpoint.store("draw", 2, row);
  const auto back = checkpoint.find("draw", 2);
  if (!back || back->size() != row.size()) __builtin_trap();
  for (std::size_t i = 0; i < row.size(); ++i)
    if ((*back)[i] != row[i]) __builtin_trap();
  return 0;
}
