// SPDX-License-Identifier: Apache-2.0
// What the two versions of MATLAB files share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/base/write_by.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/mat.hpp"

namespace kdyn::inline io::internal {

// Characters of a text given as numbers (UTF-16 units or bytes) in UTF-8; what is no character becomes '?'.
std::string text_of(const std::vector<double>& units);
std::vector<std::uint16_t> utf16_of(const std::string& text);
std::string plain_name(const std::string& name);

// Compressed columns from MATLAB's arrays; false when they make no sense. Takes rows and columns from array.shape.
bool make_sparse(MatArray& array, const std::vector<double>& rows, const std::vector<double>& starts,
                 const std::vector<double>& real, const std::vector<double>& imaginary);

// What a file may unpack to. Banded matrices compress several hundred times, so that its size alone says little.
constexpr std::size_t mat_budget(std::size_t file_bytes) { return (std::size_t{1} << 29) + 20 * file_bytes; }

bool looks_like_mat4(std::string_view content);
void parse_mat4(std::string_view content, MatFile& file);
void parse_mat5(std::string_view content, MatFile& file);  // content has at least 128 bytes
void write_mat5(const MatFile& file, const ByteSink& sink);

// Datasets of an HDF5 file as arrays; "/s/a" becomes "s.a". Deferred ones have their shape and no values.
std::string dotted_name(const std::string& path);
void take_hdf5_items(std::vector<H5Item>&& items, MatFile& file);

}  // namespace kdyn::inline io::internal
