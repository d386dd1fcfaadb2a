// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/hdf5_values.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <zlib.h>

#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

using ChunkOffset = std::array<std::uint64_t, 9>;

// Undoes the filters of a chunk, last one first. Afterwards `data` has chunk_bytes bytes.
bool unfilter(H5Source& source, const H5Filters& filters, std::uint64_t mask, std::size_t chunk_bytes,
              std::size_t element, std::string_view& data, std::string& buffer) {
  if (!source.pay_unpacked(chunk_bytes)) return false;
  for (std::size_t i = filters.ids.size(); i > 0; --i) {
    if ((mask >> (i - 1) & 1U) != 0) continue;
    const std::uint16_t id = filters.ids[i - 1];
    if (id == 3) {
      if (data.size() < 4) return false;
      data.remove_suffix(4);
    } else if (id == 1) {
      std::string out(chunk_bytes + 4, '\0');  // room for a checksum behind the values
      auto size = static_cast<uLongf>(out.size());
      if (uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                     static_cast<uLong>(data.size())) != Z_OK)
        return false;
      out.resize(size);
      buffer = std::move(out);
      data = buffer;
    } else {
      if (element < 2) continue;
      std::string out(data.size(), '\0');
      const std::size_t count = data.size() / element;
      for (std::size_t b = 0; b < element; ++b)
        for (std::size_t k = 0; k < count; ++k) out[k * element + b] = data[b * count + k];
      for (std::size_t k = count * element; k < data.size(); ++k) out[k] = data[k];
      buffer = std::move(out);
      data = buffer;
    }
  }
  return data.size() == chunk_bytes;
}

// Copies the rows of a chunk that lie within the dataset.
void place(const std::vector<std::uint64_t>& extents, const std::vector<std::uint64_t>& chunk,
           const ChunkOffset& offset, std::size_t element, std::string_view data, std::string& raw) {
  const std::size_t rank = extents.size();
  for (std::size_t k = 0; k < rank; ++k)
    if (offset[k] >= extents[k]) return;
  const std::uint64_t row = std::min(chunk[rank - 1], extents[rank - 1] - offset[rank - 1]);
  ChunkOffset index{};
  for (std::size_t from = 0; from < data.size(); from += chunk[rank - 1] * element) {
    bool inside = true;
    std::uint64_t to = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      inside = inside && offset[k] + index[k] < extents[k];
      to = to * extents[k] + offset[k] + index[k];
    }
    if (inside) std::memcpy(raw.data() + to * element, data.data() + from, row * element);
    for (std::size_t k = rank - 1; k-- > 0;) {
      if (++index[k] < chunk[k]) break;
      index[k] = 0;
    }
  }
}

// Wanted rows (axis 0) or columns (axis 1) of a block of `rows` x `columns` elements that stands at `offset` in the
// dataset; the n-th wanted one begins at n times its length in `raw`.
struct Slicer {
  const H5Slice& slice;
  const std::vector<std::uint64_t>& extents;
  std::size_t element;

  bool touches(std::uint64_t first, std::uint64_t count) const {
    return std::any_of(slice.indices.begin(), slice.indices.end(),
                       [&](std::uint64_t i) { return i >= first && i - first < count; });
  }

  void take(const char* block, std::uint64_t rows, std::uint64_t columns, std::uint64_t row0, std::uint64_t column0,
            std::string& raw) const {
    if (row0 >= extents[0] || column0 >= extents[1]) return;
    const std::uint64_t inside_rows = std::min(rows, extents[0] - row0),
                        inside_columns = std::min(columns, extents[1] - column0);
    const std::uint64_t first = slice.axis == 0 ? row0 : column0, length = extents[1 - slice.axis];
    for (std::size_t n = 0; n < slice.indices.size(); ++n) {
      const std::uint64_t at = slice.indices[n] - first;
      if (slice.indices[n] < first || at >= (slice.axis == 0 ? inside_rows : inside_columns)) continue;
      char* to = raw.data() + n * length * element;
      if (slice.axis == 0)
        std::memcpy(to + column0 * element, block + at * columns * element, inside_columns * element);
      else
        for (std::uint64_t r = 0; r < inside_rows; ++r)
          std::memcpy(to + (row0 + r) * element, block + (r * columns + at) * element, element);
    }
  }
};

bool chunks(H5Source& source, const H5Dataset& dataset, const Slicer* slicer, std::string& raw) {
  const H5Layout& layout = dataset.layout;
  const std::size_t rank = dataset.extents.size(), element = dataset.type.size;
  if (layout.chunk.size() != rank + 1 || layout.chunk.back() != element) return false;
  std::size_t chunk_bytes = element;
  for (std::size_t i = 0; i < rank; ++i) {
    if (layout.chunk[i] == 0 || chunk_bytes > source.budget() / layout.chunk[i]) return false;
    chunk_bytes *= layout.chunk[i];
  }
  std::vector<std::uint64_t> nodes = {layout.address};
  std::set<std::uint64_t> seen;
  std::string of_node, of_chunk;
  while (!nodes.empty()) {
    const std::uint64_t address = nodes.back();
    nodes.pop_back();
    if (!seen.insert(address).second || !source.visit()) return false;
    H5Bytes node(source.node(address, 8 * (rank + 3), of_node));
    if (node.take_bytes(4) != "TREE" || node.take(1) != 1) return false;
    const std::uint64_t level = node.take(1), count = node.take(2);
    node.skip(16);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t stored = node.take(4), mask = node.take(4);
      ChunkOffset offset{};
      for (std::size_t k = 0; k <= rank; ++k) offset[k] = node.take(8);
      const std::uint64_t child = node.take(8);
      if (!node.good()) return false;
      if (level > 0) {
        nodes.push_back(child);
        continue;
      }
      if (slicer != nullptr && !slicer->touches(offset[slicer->slice.axis], layout.chunk[slicer->slice.axis])) continue;
      std::string unpacked;
      std::string_view data = source.at(child, stored, of_chunk);
      if (data.size() != stored || !unfilter(source, dataset.filters, mask, chunk_bytes, element, data, unpacked))
        return false;
      if (slicer != nullptr)
        slicer->take(data.data(), layout.chunk[0], layout.chunk[1], offset[0], offset[1], raw);
      else
        place(dataset.extents, layout.chunk, offset, element, data, raw);
    }
  }
  return true;
}

bool sliced(H5Source& source, const H5Dataset& dataset, const H5Slice& slice, std::string& raw) {
  const std::vector<std::uint64_t>& extents = dataset.extents;
  const H5Layout& layout = dataset.layout;
  const std::size_t element = dataset.type.size;
  if (extents.size() != 2 || slice.axis > 1) return false;
  raw.assign(slice.indices.size() * extents[1 - slice.axis] * element, '\0');  // what was never written is zero
  const Slicer slicer{slice, extents, element};
  if (layout.kind == H5Layout::Kind::compact) {
    if (layout.compact.size() < extents[0] * extents[1] * element) return false;
    slicer.take(layout.compact.data(), extents[0], extents[1], 0, 0, raw);
    return true;
  }
  if (layout.address == h5_nowhere) return true;
  if (layout.kind == H5Layout::Kind::chunked) return chunks(source, dataset, &slicer, raw);
  if (layout.address > source.size()) return false;
  constexpr std::uint64_t piece = std::uint64_t{1} << 22;
  const std::uint64_t row = extents[1] * element,
                      together = std::max<std::uint64_t>(1, piece / std::max<std::uint64_t>(row, 1));
  std::string scratch;
  for (std::uint64_t first = 0; first < extents[0]; first += together) {
    const std::uint64_t rows = std::min(together, extents[0] - first);
    if (slice.axis == 0 && !slicer.touches(first, rows)) continue;
    const std::string_view block = source.at(layout.address + first * row, rows * row, scratch);
    if (block.size() != rows * row) return false;
    slicer.take(block.data(), rows, extents[1], first, 0, raw);
  }
  return true;
}

// The end of the file when there is none.
std::uint64_t superblock_of(const ByteSource& bytes) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  std::string scratch;
  for (std::uint64_t at = 0; at + 96 <= bytes.size(); at = at == 0 ? 512 : 2 * at)
    if (bytes.at(at, 8, scratch) == signature) return at;
  return bytes.size();
}

}  // namespace

bool is_hdf5(const ByteSource& bytes) { return superblock_of(bytes) < bytes.size(); }

H5Source::H5Source(std::shared_ptr<const ByteSource> bytes)
    : bytes_(std::move(bytes)),
      start_(superblock_of(*bytes_)),
      size_(bytes_->size() - start_) {
  budget_ = allowed_bytes(static_cast<std::size_t>(bytes_->size()));
  unpack_budget_ = 4 * budget_;
  node_budget_ = static_cast<std::size_t>(bytes_->size() / 8 + 16);
}

std::string_view H5Source::at(std::uint64_t address, std::uint64_t size, std::string& scratch) const {
  if (address > size_ || size > size_ - address) return {};
  return bytes_->at(start_ + address, static_cast<std::size_t>(size), scratch);
}

std::string_view H5Source::up_to(std::uint64_t address, std::uint64_t size, std::string& scratch) const {
  if (address >= size_) return {};
  return at(address, std::min(size, size_ - address), scratch);
}

std::string_view H5Source::node(std::uint64_t address, std::size_t entry, std::string& scratch) const {
  H5Bytes head(up_to(address, 8, scratch));
  const std::string mark(head.take_bytes(4));
  head.skip(2);
  const std::uint64_t count = head.take(2);
  if (!head.good()) return {};
  return up_to(address, mark == "SNOD" ? 8 + 40 * count : 24 + entry * count, scratch);
}

bool h5_values(H5Source& source, const H5Dataset& dataset, const H5Slice& slice, std::string& raw,
               std::string_view& bytes) {
  const H5Layout& layout = dataset.layout;
  if (!slice.indices.empty()) {
    const bool whole = sliced(source, dataset, slice, raw);
    bytes = raw;
    return whole;
  }
  std::size_t size = dataset.type.size;
  for (const std::uint64_t extent : dataset.extents) size *= extent;
  if (layout.kind == H5Layout::Kind::compact) {
    bytes = layout.compact.substr(0, size);
    return bytes.size() == size;
  }
  if (layout.kind == H5Layout::Kind::contiguous && layout.address != h5_nowhere) {
    bytes = source.at(layout.address, size, raw);
    return bytes.size() == size;
  }
  raw.assign(size, '\0');  // what was never written is zero
  bytes = raw;
  return layout.kind == H5Layout::Kind::contiguous || layout.address == h5_nowhere ||
         chunks(source, dataset, nullptr, raw);
}

}  // namespace kdyn::inline io::internal
