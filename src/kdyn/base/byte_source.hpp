// SPDX-License-Identifier: Apache-2.0
// Bytes of a file by place, without holding the file: readers of large measurements take what they need, when they need
// it.
//
// Reading is by pread, not by mapping: a file that is cut while it is read gives an error instead of a signal that ends
// the program. The same reader works on bytes in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kdyn::inline base {

class ByteSource {
 public:
  // Throws Error(file_access) when the file is missing, unreadable or a folder.
  static std::shared_ptr<const ByteSource> open(const std::string& path);
  // Bytes that somebody else keeps, and bytes that are kept here.
  static std::shared_ptr<const ByteSource> of(std::string_view bytes);
  static std::shared_ptr<const ByteSource> holding(std::string&& bytes);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  std::uint64_t size() const { return size_; }
  // Exactly these bytes: a view into memory, or into `scratch`, which is filled. The caller has checked the range;
  // a file that ends early all the same throws Error(file_access).
  std::string_view at(std::uint64_t offset, std::size_t count, std::string& scratch) const;
  // As many of these bytes as there are.
  std::string_view up_to(std::uint64_t offset, std::size_t count, std::string& scratch) const;

 private:
  ByteSource() = default;
  int handle_ = -1;
  std::string_view memory_;
  std::uint64_t size_ = 0;
  std::string path_, held_;
};

// SHA-256 of a whole file in hexadecimal, piece by piece.
std::string sha256(const ByteSource& bytes);

}  // namespace kdyn::inline base
