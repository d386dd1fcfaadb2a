// SPDX-License-Identifier: Apache-2.0
// Reads a whole recording under the guard: structure, numbers, texts, signals. Packed data may unpack to much more than
// the file, so the bound is that of the readers: 64 MB and what deflate can make of the file.
#pragma once

#include "guard.hpp"

#include "kdyn/base/byte_source.hpp"
#include "kdyn/io/recording.hpp"

namespace fuzz {

// What throws Error(bad_input) is refused; anything else ends the run.
template <class Act>
void try_to(Act&& act) {
  try {
    act();
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) throw;
  }
}

inline void read_all(const kdyn::Recording& recording) {
  kdyn::words_of(recording);
  std::size_t samples = 0;
  constexpr std::size_t enough = 100'000;  // for one input: large claims cost time, not memory
  for (std::size_t i = 0; i < recording.channels.size(); ++i) {
    samples += recording.channels[i].count;
    if (samples > enough) return;
    try_to([&] {
      if (recording.channels[i].is_text) recording.reader->texts(i);
      const auto read = recording.reader->values({i});
      if (read.front().values.size() != recording.channels[i].count) __builtin_trap();
    });
  }
  try_to([&] { kdyn::signals_of(recording); });
  try_to([&] { kdyn::signal_table_of(recording); });
  try_to([&] { kdyn::examine(recording); });
}

inline int check_recording(const std::uint8_t* data, std::size_t size, std::string_view format) {
  constexpr std::size_t room = std::size_t{200} << 20;
  return check(
      data, size,
      [&](std::string_view content) {
        if (kdyn::recording_format(content) != format) return;
        read_all(kdyn::open_recording(kdyn::ByteSource::of(content), "fuzz"));
      },
      room + 1200 * size);
}

}  // namespace fuzz
