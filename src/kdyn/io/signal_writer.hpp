// SPDX-License-Identifier: Apache-2.0
// Evenly sampled signals written row by row while they are computed: no more than a few thousand rows are held,
// however long the record becomes.
//
// The file grows under the name it is given; who reads it should see it only when it is finished (base/write_by.hpp, or
// a folder that takes it over). Throws Error(file_access) where the disk does not take it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kdyn::inline io {

struct WrittenSignal {
  std::string name, unit;
};

class SignalWriter {
 public:
  virtual ~SignalWriter() = default;
  // One value of each signal.
  virtual void add(double time_s, const double* values) = 0;
  // What is still held goes to the disk. Without it the file is not complete.
  virtual void finish() = 0;
};

// "time [s],name [unit],..." and 12 digits of each number.
std::unique_ptr<SignalWriter> csv_writer(const std::string& path, const std::vector<WrittenSignal>& signals);
// The store of kdyn (store.hpp) with nothing but signals: 64-bit numbers, each signal for itself. The times are those of
// even steps from the first.
std::unique_ptr<SignalWriter> store_writer(const std::string& path, const std::vector<WrittenSignal>& signals,
                                           double first_s, double step_s);

}  // namespace kdyn::inline io
