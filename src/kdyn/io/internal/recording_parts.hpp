// SPDX-License-Identifier: Apache-2.0
// What the readers of recordings share: their entry points, the bound on memory, names that repeat.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/io/recording.hpp"

namespace kdyn::inline io::internal {

Recording open_mdf(std::shared_ptr<const ByteSource> bytes, const std::string& name);
Recording open_rpc(std::shared_ptr<const ByteSource> bytes, const std::string& name);
Recording open_tdms(std::shared_ptr<const ByteSource> bytes, const std::string& name);
// Signals of an HDF5 file; nothing when it holds none. Files that are not large are read as a whole instead: they may
// hold more than signals.
constexpr std::size_t large_hdf5_bytes = std::size_t{256} << 20;
std::optional<Recording> open_hdf5(std::shared_ptr<const ByteSource> bytes, const std::string& name);

// What one call may hold, whatever the file claims: 2 GiB and 20 times the file; less for small files, as far as
// deflate can go.
class MemoryBound {
 public:
  MemoryBound(std::uint64_t file_bytes, std::string where);
  void take(std::uint64_t count, std::uint64_t size = 1);  // throws Error(bad_input) beyond the bound

 private:
  std::uint64_t left_;
  std::string where_;
};

// Names of channels that were left out, by reason: one finding for each reason.
class LeftOut {
 public:
  void add(const std::string& reason, const std::string& channel) { names_[reason].push_back(channel); }
  void tell(const std::string& file, std::vector<Finding>& findings) const;

 private:
  std::map<std::string, std::vector<std::string>> names_;
};

// "force", "force #2" ... for names that repeat within a group; "channel 3" for one without a name.
void make_names_unique(Recording& recording);

// Nanoseconds since 1970 as "2026-05-04 12:30:00.250 UTC".
std::string date_text(std::int64_t seconds, std::uint32_t milliseconds);

// Bytes in UTF-16 up to the first zero, and Latin-1, as UTF-8.
std::string from_utf16(std::string_view bytes, bool big_endian);
std::string from_latin1(std::string_view bytes);

}  // namespace kdyn::inline io::internal
