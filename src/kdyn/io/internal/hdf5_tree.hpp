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
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"

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
};

// Groups come before what they hold, names in alphabetical order.
std::vector<H5Item> parse_hdf5(std::string_view content, const std::string& name, std::vector<Finding>& findings);

// `matlab` writes a MATLAB 7.3 file: its header in front, MATLAB_class on each item that names one.
std::string hdf5_bytes(const std::vector<H5Item>& items, bool matlab);

bool looks_like_hdf5(std::string_view content);

}  // namespace kdyn::inline io::internal
