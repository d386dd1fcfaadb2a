// SPDX-License-Identifier: Apache-2.0
// Writing goes through the HDF5 library: the content is ours, and other programs shall read it.
#include <algorithm>
#include <cstdio>

#include "kdyn/base/error.hpp"
#include "kdyn/base/write_by.hpp"
#include "kdyn/io/internal/hdf5_handle.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"

namespace kdyn::inline io::internal {
namespace {

using Handle = H5Handle;

// The two-member compound MATLAB stores complex numbers as.
Handle complex_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), H5Tclose);
  H5Tinsert(type, "real", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "imag", sizeof(double), H5T_NATIVE_DOUBLE);
  return Handle(H5Tcopy(type), H5Tclose);
}

void write_class(hid_t object, const H5Item& item) {
  const auto attribute = [&](const char* name, hid_t type, const void* value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle handle(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    H5Awrite(handle, type, value);
  };
  if (!item.matlab_class.empty()) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, item.matlab_class.size());
    attribute("MATLAB_class", type, item.matlab_class.data());
    if (item.matlab_class == "char") {
      const int decode = 2;
      attribute("MATLAB_int_decode", H5T_NATIVE_INT, &decode);
    }
  }
  if (item.matlab_empty) {
    const std::uint8_t one = 1;
    attribute("MATLAB_empty", H5T_NATIVE_UINT8, &one);
  }
  if (item.matlab_sparse_rows >= 0) {
    const auto rows = static_cast<std::uint64_t>(item.matlab_sparse_rows);
    attribute("MATLAB_sparse", H5T_NATIVE_UINT64, &rows);
  }
}

// False when the file cannot take it.
bool write_item(hid_t file, const H5Item& item) {
  if (item.kind == H5Item::Kind::group) {
    const Handle group(H5Gcreate2(file, item.path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    if (group.good()) write_class(group, item);
    return group.good();
  }
  const bool text = item.kind == H5Item::Kind::text;
  std::vector<hsize_t> extents(item.shape.begin(), item.shape.end());
  const Handle space(
      text ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
      H5Sclose);
  const Handle complex = complex_type();
  const Handle string_type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (text) H5Tset_size(string_type, item.text.size() + 1), H5Tset_cset(string_type, H5T_CSET_UTF8);
  // MATLAB texts are arrays of 16-bit characters.
  const hid_t file_type = text                                 ? static_cast<hid_t>(string_type)
                          : item.kind == H5Item::Kind::complex ? static_cast<hid_t>(complex)
                          : item.kind == H5Item::Kind::real    ? H5T_IEEE_F64LE
                          : item.matlab_class == "char"        ? H5T_STD_U16LE
                          : !item.matlab_class.empty() || item.path.ends_with("/ir") || item.path.ends_with("/jc")
                              ? H5T_STD_U64LE
                              : H5T_STD_I64LE;
  const hid_t memory_type = text                                 ? static_cast<hid_t>(string_type)
                            : item.kind == H5Item::Kind::complex ? static_cast<hid_t>(complex)
                            : item.kind == H5Item::Kind::real    ? H5T_NATIVE_DOUBLE
                                                                 : H5T_NATIVE_INT64;
  const Handle without_times(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(without_times, false);
  const Handle dataset(H5Dcreate2(file, item.path.c_str(), file_type, space, H5P_DEFAULT, without_times, H5P_DEFAULT),
                       H5Dclose);
  if (!dataset.good()) return false;
  const void* data = text                                 ? static_cast<const void*>(item.text.c_str())
                     : item.kind == H5Item::Kind::integer ? static_cast<const void*>(item.integers.data())
                                                          : static_cast<const void*>(item.numbers.data());
  const bool empty = !text && std::any_of(extents.begin(), extents.end(), [](hsize_t extent) { return extent == 0; });
  if (!empty && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) return false;
  write_class(dataset, item);
  return true;
}

// What MATLAB 7.3 writes in front of the HDF5 file.
constexpr std::size_t matlab_head_bytes = 512;
std::string matlab_head() {
  std::string head = "MATLAB 7.3 MAT-file, written by kdyn, HDF5 schema 1.00 .";
  head.resize(124, ' ');
  head += std::string("\x00\x02IM", 4);
  head.resize(matlab_head_bytes, '\0');
  return head;
}

// Into the room that HDF5 left for it at the start of the file.
bool write_matlab_head(const std::string& path) {
  const std::string head = matlab_head();
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  if (file == nullptr) return false;
  const bool complete = std::fwrite(head.data(), 1, head.size(), file) == head.size();
  return std::fclose(file) == 0 && complete;
}

}  // namespace

std::string hdf5_bytes(std::vector<H5Item> items, bool matlab) {
  be_quiet_hdf5();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation = creation_without_times();
  H5Pset_fapl_core(access, 1 << 20, 0);
  std::string bytes;
  {
    const Handle file(H5Fcreate("memory", H5F_ACC_TRUNC, creation, access), H5Fclose);
    demand(file.good(), "an HDF5 file can be made in memory");
    for (H5Item& item : items) {
      demand(write_item(file, item), "HDF5 can write in memory");
      item = {};  // the file holds its values now
    }
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t size = H5Fget_file_image(file, nullptr, 0);
    demand(size > 0, "an HDF5 file in memory has bytes");
    bytes.resize(static_cast<std::size_t>(size));
    H5Fget_file_image(file, bytes.data(), bytes.size());
  }
  return matlab ? matlab_head() + bytes : bytes;
}

void write_hdf5(const std::string& path, std::vector<H5Item> items, bool matlab) {
  be_quiet_hdf5();
  write_by(path, [&](const std::string& temporary) {
    const Handle access = access_to_own_file(), creation = creation_without_times();
    if (matlab) H5Pset_userblock(creation, matlab_head_bytes);
    const hid_t file = H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, creation, access);
    bool good = file >= 0;
    for (H5Item& item : items) {
      good = good && write_item(file, item);
      item = {};
    }
    good = good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    if (matlab) good = good && write_matlab_head(temporary);
    if (!good)
      throw Error(ErrorCode::file_access, "cannot write: the HDF5 library gave up", path,
                  "is the disk full? Check the folder and the permissions");
  });
}

}  // namespace kdyn::inline io::internal
