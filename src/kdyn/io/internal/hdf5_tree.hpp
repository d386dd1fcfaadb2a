// SPDX-License-Identifier: Apache-2.0
// An HDF5 file as a flat list of datasets by path: numbers, whole numbers and texts. Everything kdyn stores fits into
// that.
//
// Reading is done by kdyn itself, since files come from anywhere and the library of Debian 12 crashes on damaged ones;
// writing by the library. Read are the structures that MATLAB and the library write unless told otherwise: superblock 0
// and 1, object headers 1, groups by symbol table, contiguous, compact and chunked data (B-tree 1), deflate, shuffle
// and Fletcher filters. Newer structures, soft and external links and other types are named in findings and skipped. At
// most 16 groups deep and 100000 objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::inline base {
class ByteSource;
}

namespace kdyn::inline io::internal {

struct H5Item {
  std::string path;  // "/matrices/0/values"
  std::vector<std::size_t> shape;
  enum class Kind { real, complex, integer, text, group } kind = Kind::real;
  std::vector<double> numbers;  // complex: pairs
  std::vector<std::int64_t> integers;
  std::string text;
  std::string matlab_class;  // attribute MATLAB_class; empty when absent
  bool matlab_empty = false;
  std::int64_t matlab_sparse_rows = -1;
  std::string unit;           // attribute unit or units; empty when absent
  std::uint64_t address = 0;  // where the file describes a dataset
  bool deferred = false;      // its values were not read (H5Wanted)
};

// Which values are read while a file is listed.
struct H5Wanted {
  std::size_t largest = ~std::size_t{0};  // datasets of more values are deferred
  std::function<bool(const std::string& path)> always;
  bool values(const std::string& path, std::size_t count) const { return count <= largest || (always && always(path)); }
};

// Rows (axis 0) or columns (axis 1) of a dataset of two dimensions; without indices all of any dataset.
struct H5Slice {
  std::size_t axis = 0;
  std::vector<std::uint64_t> indices;
};

// Groups come before what they hold, names in alphabetical order.
std::vector<H5Item> parse_hdf5(std::string_view content, const std::string& name, std::vector<Finding>& findings);

// The same for a file that may be larger than memory: large datasets are deferred, and their numbers read when asked
// for, those of a slice one row or column after another. read_hdf5 throws Error(bad_input) where they are damaged.
std::vector<H5Item> list_hdf5(std::shared_ptr<const ByteSource> bytes, const std::string& name,
                              std::vector<Finding>& findings, const H5Wanted& wanted);
std::vector<double> read_hdf5(std::shared_ptr<const ByteSource> bytes, const std::string& name, const H5Item& item,
                              const H5Slice& slice = {});

// `matlab` writes a MATLAB 7.3 file: its header in front, MATLAB_class on each item that names one. Items that are moved
// here are let go as they are written.
std::string hdf5_bytes(std::vector<H5Item> items, bool matlab);
// The same straight into a file: nothing but the items themselves is held. Throws Error(file_access).
void write_hdf5(const std::string& path, std::vector<H5Item> items, bool matlab);

bool looks_like_hdf5(std::string_view content);
bool is_hdf5(const ByteSource& bytes);

}  // namespace kdyn::inline io::internal
