// SPDX-License-Identifier: Apache-2.0
// Walks over the bytes of an MDF stream in order: blocks are unpacked one at a time, records that are cut by the border
// of two blocks are put together, and no more than a block is held.
#pragma once

#include <string>
#include <string_view>

#include "kdyn/io/internal/mdf_blocks.hpp"

namespace kdyn::inline io::internal {

class MdfCursor {
 public:
  MdfCursor(const ByteSource& bytes, const MdfStream& stream, const std::string& name)
      : bytes_(bytes),
        stream_(stream),
        name_(name) {}

  // At least `wanted` bytes in one piece, as many as are at hand; fewer only at the end of the stream.
  std::string_view look(std::size_t wanted);
  void skip(std::uint64_t count);
  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return stream_.size - position_; }

 private:
  std::string_view load_next();
  std::string unpacked(const MdfPiece& piece);

  const ByteSource& bytes_;
  const MdfStream& stream_;
  const std::string& name_;
  std::size_t next_piece_ = 0;
  std::uint64_t in_piece_ = 0;  // bytes of the next plain piece that were taken already
  std::uint64_t position_ = 0;
  std::string_view window_;              // what is at hand
  std::string_view rest_;                // of the block behind a record that was put together
  std::string carry_, buffer_, unpack_;  // cut records; plain bytes of a file; an unpacked block
};

// The whole stream, for those who jump about in it (texts by offset).
std::string all_bytes(const ByteSource& bytes, const MdfStream& stream, const std::string& name);

}  // namespace kdyn::inline io::internal
