// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/mat.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/mat_parts.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/utf8.hpp"

namespace kdyn::inline io {
namespace internal {

std::string text_of(const std::vector<double>& units) {
  return utf8_of_utf16(units.size(), [&](std::size_t i) {
    return units[i] >= 0.0 && units[i] < 65536.0 ? static_cast<std::uint32_t>(units[i]) : 0xfffdU;
  });
}

std::vector<std::uint16_t> utf16_of(const std::string& given) {
  const std::string text = to_utf8(given);
  std::vector<std::uint16_t> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    std::uint32_t code = more == 0 ? c : c & (0x3fU >> more);
    for (std::size_t k = 1; k <= more && i + k < text.size(); ++k)
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    if (code >= 0x10000) {
      out.push_back(static_cast<std::uint16_t>(0xd800 + ((code - 0x10000) >> 10)));
      out.push_back(static_cast<std::uint16_t>(0xdc00 + ((code - 0x10000) & 0x3ff)));
    } else {
      out.push_back(static_cast<std::uint16_t>(code));
    }
    i += more + 1;
  }
  return out;
}

std::string plain_name(const std::string& name) {
  std::string out = name.substr(0, 63);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (out.empty() || !std::isalpha(static_cast<unsigned char>(out.front()))) out.insert(0, "x");
  return out;
}

bool make_sparse(MatArray& array, const std::vector<double>& rows, const std::vector<double>& starts,
                 const std::vector<double>& real, const std::vector<double>& imaginary) {
  Matrix& m = array.sparse;
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (array.shape[0] > most || array.shape[1] > most || starts.size() != array.shape[1] + 1) return false;
  m.name = array.name;
  m.sparse = true, m.is_complex = !imaginary.empty();
  m.rows = static_cast<int>(array.shape[0]), m.columns = static_cast<int>(array.shape[1]);
  const double last = starts.back();
  if (!(last >= 0.0) || last > static_cast<double>(rows.size()) || last > static_cast<double>(real.size()) ||
      (m.is_complex && last > static_cast<double>(imaginary.size())))
    return false;
  const auto count = static_cast<std::size_t>(last);
  m.column_start.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!(starts[i] >= (i == 0 ? 0.0 : starts[i - 1])) || starts[i] > last || (i == 0 && starts[i] != 0.0))
      return false;
    m.column_start.push_back(static_cast<int>(starts[i]));
  }
  m.row.reserve(count);
  for (std::size_t c = 0; c < array.shape[1]; ++c)
    for (auto k = static_cast<std::size_t>(m.column_start[c]); k < static_cast<std::size_t>(m.column_start[c + 1]);
         ++k) {
      if (!(rows[k] >= 0.0) || rows[k] >= static_cast<double>(m.rows)) return false;
      m.row.push_back(static_cast<int>(rows[k]));
      if (k > static_cast<std::size_t>(m.column_start[c]) && m.row[k] <= m.row[k - 1]) return false;
    }
  if (m.is_complex)
    for (std::size_t k = 0; k < count; ++k) m.complex.emplace_back(real[k], imaginary[k]);
  else
    m.real.assign(real.begin(), real.begin() + static_cast<std::ptrdiff_t>(count));
  array.is_complex = m.is_complex;
  return true;
}

// "/s/a" -> "s.a"; the references of MATLAB's cells stay out.
std::string dotted_name(const std::string& path) {
  std::string out = path.substr(1);
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

void take_hdf5_items(std::vector<H5Item>&& items, MatFile& file) {
  std::map<std::string, std::vector<H5Item*>> sparse;  // group path -> its data, ir, jc
  std::map<std::string, std::int64_t> sparse_rows;
  for (H5Item& item : items)
    if (item.kind == H5Item::Kind::group && item.matlab_sparse_rows >= 0)
      sparse_rows[item.path] = item.matlab_sparse_rows;
  for (H5Item& item : items) {
    if (item.kind == H5Item::Kind::group || item.path.starts_with("/#")) continue;
    const std::string parent = item.path.substr(0, item.path.rfind('/'));
    if (sparse_rows.contains(parent)) {
      sparse[parent].push_back(&item);
      continue;
    }
    MatArray array;
    array.name = dotted_name(item.path);
    array.unit = std::move(item.unit);
    array.matlab_class = item.matlab_class.empty() ? "double" : item.matlab_class;
    // HDF5 counts the last dimension fastest, MATLAB the first.
    array.shape.assign(item.shape.rbegin(), item.shape.rend());
    while (array.shape.size() < 2) array.shape.push_back(1);
    if (item.matlab_empty) {
      array.shape = {0, 0};
    } else if (item.kind == H5Item::Kind::complex) {
      array.is_complex = true;
      array.complex.resize(item.numbers.size() / 2);
      for (std::size_t i = 0; i < array.complex.size(); ++i)
        array.complex[i] = {item.numbers[2 * i], item.numbers[2 * i + 1]};
    } else if (item.kind == H5Item::Kind::text) {
      array.matlab_class = "char";
      array.text = item.text;
    } else if (item.kind == H5Item::Kind::integer) {
      array.real.assign(item.integers.begin(), item.integers.end());
      item.integers = {};
    } else {
      array.real = std::move(item.numbers);
    }
    if (array.matlab_class == "char" && array.shape[0] <= 1 && array.text.empty()) {
      array.text = text_of(array.real);
      array.real.clear();
    }
    file.arrays.push_back(std::move(array));
  }
  for (auto& [path, rows] : sparse_rows) {
    std::vector<double> ir, jc, real, imaginary;
    for (H5Item* item : sparse[path]) {
      std::vector<double> values(item->integers.begin(), item->integers.end());
      if (item->path.ends_with("/ir")) ir = std::move(values);
      if (item->path.ends_with("/jc")) jc = std::move(values);
      if (!item->path.ends_with("/data")) continue;
      if (item->kind == H5Item::Kind::complex)
        for (std::size_t i = 0; i + 1 < item->numbers.size(); i += 2)
          real.push_back(item->numbers[i]), imaginary.push_back(item->numbers[i + 1]);
      else
        real = std::move(item->numbers);
    }
    MatArray array;
    array.name = dotted_name(path);
    array.matlab_class = "sparse";
    array.shape = {static_cast<std::size_t>(rows), jc.empty() ? 0 : jc.size() - 1};
    if (jc.empty() || !make_sparse(array, ir, jc, real, imaginary))
      file.findings.push_back({Severity::serious, "bad_array",
                               fmt::format("{}: array {}", file.name, in_quotes(array.name)),
                               "the sparse matrix makes no sense; it was skipped", "write the file again"});
    else
      file.arrays.push_back(std::move(array));
  }
}

}  // namespace internal

namespace {

using internal::H5Item;

bool is_version_73(std::string_view content) {
  return content.starts_with("MATLAB 7.3") ||
         (content.size() >= 520 && content[125] == 2 && internal::looks_like_hdf5(content));
}

std::vector<H5Item> items_of(MatFile&& file) {
  std::vector<H5Item> items;
  for (MatArray& array : file.arrays) {
    H5Item item;
    item.path = "/" + internal::plain_name(array.name);
    item.shape.assign(array.shape.rbegin(), array.shape.rend());
    if (array.matlab_class == "sparse") {
      item.kind = H5Item::Kind::group;
      item.matlab_class = "double";
      item.matlab_sparse_rows = array.sparse.rows;
      items.push_back(item);
      const auto part = [&](const char* name, H5Item::Kind kind) -> H5Item& {
        H5Item& one = items.emplace_back();
        one.path = item.path + name, one.kind = kind;
        return one;
      };
      H5Item& rows = part("/ir", H5Item::Kind::integer);
      rows.integers.assign(array.sparse.row.begin(), array.sparse.row.end()), rows.shape = {rows.integers.size()};
      H5Item& starts = part("/jc", H5Item::Kind::integer);
      starts.integers.assign(array.sparse.column_start.begin(), array.sparse.column_start.end()),
          starts.shape = {starts.integers.size()};
      H5Item& values = part("/data", array.sparse.is_complex ? H5Item::Kind::complex : H5Item::Kind::real);
      values.shape = {array.sparse.nonzeros()};
      values.numbers = array.sparse.real;
      for (const auto& value : array.sparse.complex)
        values.numbers.push_back(value.real()), values.numbers.push_back(value.imag());
      continue;
    }
    item.matlab_class = array.matlab_class == "char" ? "char" : "double";
    if (array.matlab_class == "char") {
      item.kind = H5Item::Kind::integer;
      for (const std::uint16_t unit : internal::utf16_of(array.text)) item.integers.push_back(unit);
      item.shape = {item.integers.size(), 1};
    } else if (array.is_complex) {
      item.kind = H5Item::Kind::complex;
      for (const auto& value : array.complex)
        item.numbers.push_back(value.real()), item.numbers.push_back(value.imag());
    } else {
      item.numbers = std::move(array.real);
    }
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

const MatArray* MatFile::find(std::string_view array) const {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const MatArray& a) { return a.name == array; });
  return found == arrays.end() ? nullptr : &*found;
}

bool looks_like_mat(std::string_view content) {
  if (internal::looks_like_mat4(content)) return true;
  return content.size() >= 128 &&
         (content.starts_with("MATLAB 5.0") || content.starts_with("MATLAB 7.3") ||
          ((content.substr(126, 2) == "IM" || content.substr(126, 2) == "MI") && content.starts_with("MATLAB")));
}

MatFile parse_mat(std::string_view content, const std::string& name) {
  if (!looks_like_mat(content))
    throw_bad_input(name, "this is no MATLAB file of version 4, 5, 7 or 7.3", "save it with -v7 or -v7.3");
  MatFile file;
  file.name = name;
  if (internal::looks_like_mat4(content)) {
    file.version_4 = true;
    internal::parse_mat4(content, file);
    return file;
  }
  file.version_73 = is_version_73(content);
  if (file.version_73)
    internal::take_hdf5_items(internal::parse_hdf5(content, name, file.findings), file);
  else
    internal::parse_mat5(content, file);
  return file;
}

MatFile arrays_of_hdf5(std::string_view content, const std::string& name) {
  MatFile file;
  file.name = name;
  internal::take_hdf5_items(internal::parse_hdf5(content, name, file.findings), file);
  return file;
}

MatFile read_mat(const std::string& path) { return parse_mat(read_text(path), path); }

std::string mat_bytes(MatFile file, bool version_73) {
  if (version_73) return internal::hdf5_bytes(items_of(std::move(file)), true);
  std::string out;
  internal::write_mat5(file, [&](std::string_view piece) { out += piece; });
  return out;
}

void write_mat(const std::string& path, MatFile file, bool version_73) {
  if (version_73) return internal::write_hdf5(path, items_of(std::move(file)), true);
  write_pieces(path, [&](const ByteSink& sink) { internal::write_mat5(file, sink); });
}

MatrixSet matrices_of(MatFile&& file) {
  MatrixSet out;
  out.source.path = file.name;
  out.findings = std::move(file.findings);
  for (MatArray& array : file.arrays) {
    if (array.matlab_class == "sparse") {
      out.matrices.push_back(std::move(array.sparse));
      continue;
    }
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (array.matlab_class == "char" || array.shape.size() != 2 || array.count() == 0 || array.shape[0] > most ||
        array.shape[1] > most)
      continue;
    Matrix matrix;
    matrix.name = array.name;
    matrix.rows = static_cast<int>(array.shape[0]), matrix.columns = static_cast<int>(array.shape[1]);
    matrix.is_complex = array.is_complex;
    matrix.real = std::move(array.real), matrix.complex = std::move(array.complex);
    if (matrix.nonzeros() != array.shape[0] * array.shape[1]) continue;
    out.matrices.push_back(std::move(matrix));
  }
  return out;
}

MatFile to_mat(const MatrixSet& matrices) {
  MatFile out;
  for (const Matrix& matrix : matrices.matrices) {
    MatArray array;
    array.name = matrix.name;
    array.matlab_class = matrix.sparse ? "sparse" : "double";
    array.shape = {static_cast<std::size_t>(matrix.rows), static_cast<std::size_t>(matrix.columns)};
    array.is_complex = matrix.is_complex;
    if (matrix.sparse)
      array.sparse = matrix;
    else
      array.real = matrix.real, array.complex = matrix.complex;
    out.arrays.push_back(std::move(array));
  }
  return out;
}

}  // namespace kdyn::inline io
