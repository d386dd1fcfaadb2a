// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/mdf_stream.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/io/internal/inflate.hpp"

namespace kdyn::inline io::internal {
namespace {

// Turns a matrix of `columns` rows with one byte per record back into records; bytes that fill no record follow as they
// are.
void transpose_back(const std::string& in, std::size_t columns, std::string& out) {
  const std::size_t records = in.size() / columns;
  out.resize(in.size());
  // In tiles, so that both sides stay in the cache.
  constexpr std::size_t tile = 64;
  for (std::size_t r0 = 0; r0 < records; r0 += tile)
    for (std::size_t c0 = 0; c0 < columns; c0 += tile) {
      const std::size_t r1 = std::min(records, r0 + tile), c1 = std::min(columns, c0 + tile);
      for (std::size_t c = c0; c < c1; ++c)
        for (std::size_t r = r0; r < r1; ++r) out[r * columns + c] = in[c * records + r];
    }
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(records * columns), in.end(),
            out.begin() + static_cast<std::ptrdiff_t>(records * columns));
}

}  // namespace

std::string MdfCursor::unpacked(const MdfPiece& piece) {
  const std::string_view stored = bytes_.at(piece.file_offset, static_cast<std::size_t>(piece.stored), buffer_);
  std::string plain = inflate_exactly(stored, static_cast<std::size_t>(piece.size),
                                      fmt::format("{}: byte {}", name_, piece.file_offset));
  if (piece.zip == 0) return plain;
  std::string out;
  transpose_back(plain, piece.columns, out);
  return out;
}

std::string_view MdfCursor::load_next() {
  constexpr std::size_t slab = std::size_t{1}
                               << 18;  // stays in the second-level cache while its channels are taken out
  const MdfPiece& piece = stream_.pieces[next_piece_];
  if (piece.zip >= 0) {
    unpack_ = unpacked(piece);
    ++next_piece_;
    return unpack_;
  }
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(slab, piece.size - in_piece_));
  const std::string_view out = bytes_.at(piece.file_offset + in_piece_, count, buffer_);
  in_piece_ += count;
  if (in_piece_ == piece.size) ++next_piece_, in_piece_ = 0;
  return out;
}

std::string_view MdfCursor::look(std::size_t wanted) {
  if (window_.empty()) {
    if (rest_.empty() && next_piece_ < stream_.pieces.size()) rest_ = load_next();
    window_ = rest_, rest_ = {};
  }
  if (window_.size() >= wanted || (rest_.empty() && next_piece_ == stream_.pieces.size())) return window_;
  // A record is cut: put its parts together, and take along no more than that.
  std::string joined(window_);
  while (joined.size() < wanted && (!rest_.empty() || next_piece_ < stream_.pieces.size())) {
    if (rest_.empty()) rest_ = load_next();
    const std::size_t part = std::min(rest_.size(), wanted - joined.size());
    joined += rest_.substr(0, part);
    rest_.remove_prefix(part);
  }
  carry_ = std::move(joined);
  window_ = carry_;
  return window_;
}

void MdfCursor::skip(std::uint64_t count) {
  position_ += count;
  while (count > 0 && !look(1).empty()) {
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(count, window_.size()));
    window_.remove_prefix(here);
    count -= here;
  }
}

std::string all_bytes(const ByteSource& bytes, const MdfStream& stream, const std::string& name) {
  MdfCursor cursor(bytes, stream, name);
  std::string out;
  while (cursor.left() > 0) {
    const std::string_view part = cursor.look(1);
    if (part.empty()) break;
    out += part;
    cursor.skip(part.size());
  }
  return out;
}

}  // namespace kdyn::inline io::internal
