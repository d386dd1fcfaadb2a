// SPDX-License-Identifier: Apache-2.0
// The lossless store of kdyn: one HDF5 file for frequency responses, signals, matrices, modes and geometry. Schema in
// docs/formats.md.
//
// Numbers are 64-bit, so that reading gives back every bit. Names, units and degrees of freedom are JSON texts beside
// the numbers. A file of a later schema is read as far as it is understood; what is missing or does not fit gives a
// finding and is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/matrix_set.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::inline io {

struct Store {
  std::optional<FrequencyResponse> response;
  std::optional<SignalSet> signals;
  std::optional<MatrixSet> matrices;
  std::optional<ModeSet> modes;  // with geometry
  std::vector<Finding> findings;
};

bool looks_like_hdf5(std::string_view content);
bool looks_like_store(std::string_view content);  // HDF5 that carries the mark of kdyn
Store parse_store(std::string_view content, const std::string& name);
Store read_store(const std::string& path);
std::string store_bytes(Store store);  // signals and matrices that are moved here are let go as they are written
// The same straight into a file, so that large signals are held once. Throws Error(file_access).
void write_store(const std::string& path, Store store);

}  // namespace kdyn::inline io
