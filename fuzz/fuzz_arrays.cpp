// SPDX-License-Identifier: Apache-2.0
// MATLAB and HDF5 files through the door every file takes: arrays as bench measurements, signals or matrices, and
// described; signals of HDF5 read on demand as well. What is behind the two formats is one code.
// max_len: 4400
#include <string>

#include "bench_guard.hpp"
#include "recording_guard.hpp"

#include "kdyn/io/exchange.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/store.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view content) {
    const bool hdf5 = kdyn::looks_like_hdf5(content);
    if (!hdf5 && !kdyn::looks_like_mat(content)) return;
    fuzz::check_sets(kdyn::parse_exchange(std::string(content), hdf5 ? "f.h5" : "f.mat").sets);
    if (hdf5) fuzz::read_all(kdyn::open_recording(kdyn::ByteSource::of(content), "f.h5"));
  };
  return fuzz::check(data, size, read, std::size_t{512} << 20);  // packed arrays of MATLAB files
}
