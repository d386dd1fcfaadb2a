// SPDX-License-Identifier: Apache-2.0
// The bytes of an HDF5 file with the limits a reader keeps, and the values of one dataset: contiguous, compact or in
// chunks, whole or by rows and columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/hdf5_types.hpp"

namespace kdyn::inline io::internal {

constexpr std::uint64_t h5_nowhere = ~std::uint64_t{0};

// Addresses count from the superblock. Every allocation, unpacked chunk and visited node is paid from a budget.
class H5Source {
 public:
  explicit H5Source(std::shared_ptr<const ByteSource> bytes);
  bool empty() const { return size_ == 0; }
  std::uint64_t start() const { return start_; }  // of the superblock in the file
  std::uint64_t size() const { return size_; }    // from there on

  // Empty when these bytes are not all there. Views point into memory or into `scratch`.
  std::string_view at(std::uint64_t address, std::uint64_t size, std::string& scratch) const;
  // As many of them as there are.
  std::string_view up_to(std::uint64_t address, std::uint64_t size, std::string& scratch) const;
  // A node of a tree (TREE, entries of `entry` bytes) or a list of symbols (SNOD), as far as the file goes.
  std::string_view node(std::uint64_t address, std::size_t entry, std::string& scratch) const;

  std::size_t budget() const { return budget_; }
  bool pay(std::size_t bytes) { return take(budget_, bytes); }
  bool pay_unpacked(std::size_t bytes) { return take(unpack_budget_, bytes); }
  bool visit() { return take(node_budget_, 1); }

 private:
  static bool take(std::size_t& from, std::size_t amount) {
    if (amount > from) return false;
    from -= amount;
    return true;
  }
  std::shared_ptr<const ByteSource> bytes_;
  std::uint64_t start_ = 0, size_ = 0;
  std::size_t budget_ = 0, unpack_budget_ = 0, node_budget_ = 0;
};

struct H5Dataset {
  std::vector<std::uint64_t> extents;
  H5Type type;
  H5Layout layout;
  H5Filters filters;
};

// Elements in order, from memory or put together in `raw`; false when they lie outside the file or cannot be unpacked.
// The caller has checked that what is asked for fits into the budget.
bool h5_values(H5Source& source, const H5Dataset& dataset, const H5Slice& slice, std::string& raw,
               std::string_view& bytes);

}  // namespace kdyn::inline io::internal
