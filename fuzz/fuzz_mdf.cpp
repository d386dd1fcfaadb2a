// SPDX-License-Identifier: Apache-2.0
// Any bytes as a recording in MDF 4: opened with findings, or refused; every channel that is listed is read.
#include "kdyn/io/recording.hpp"

#include "recording_guard.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check_recording(data, size, "mdf4");
}
