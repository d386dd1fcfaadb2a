// SPDX-License-Identifier: Apache-2.0
// An HDF5 file as a flat list of datasets by path: numbers, whole numbers and texts. Everything kdyn stores fits into that.
//
// Followed are hard links only, at most 16 deep and 100000 objects. Datasets of other types are named in findings and skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::internal {

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
std::vector<H5Item> read_hdf5_file(const std::string& path, std::size_t file_bytes, std::vector<Finding>& findings);
std::vector<H5Item> parse_hdf5(std::string_view content, const std::string& name, std::vector<Finding>& findings);

// `matlab` writes a MATLAB 7.3 file: its header in front, MATLAB_class on each item that names one.
std::string hdf5_bytes(const std::vector<H5Item>& items, bool matlab);

bool looks_like_hdf5(std::string_view content);

}  // namespace kdyn::internal
