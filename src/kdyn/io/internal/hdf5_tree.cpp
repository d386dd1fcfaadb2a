// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/hdf5_tree.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <hdf5.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::internal {
namespace {

constexpr std::size_t deepest = 16, most_objects = 100000;

// An HDF5 handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// The two-member compound MATLAB stores complex numbers as.
Handle complex_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), H5Tclose);
  H5Tinsert(type, "real", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "imag", sizeof(double), H5T_NATIVE_DOUBLE);
  return Handle(H5Tcopy(type), H5Tclose);
}

class Reader {
 public:
  Reader(hid_t file, const std::string& name, std::size_t file_bytes, std::vector<Finding>& findings)
      : file_(file),
        name_(name),
        budget_(allowed_bytes(file_bytes)),
        findings_(findings) {}

  std::vector<H5Item> read() {
    std::vector<std::pair<std::string, std::size_t>> waiting = {{"/", 0}};
    while (!waiting.empty()) {
      const auto [path, depth] = waiting.back();
      waiting.pop_back();
      const Handle group(H5Gopen2(file_, path.c_str(), H5P_DEFAULT), H5Gclose);
      if (!group.good()) {
        complain("bad_group", path, "the group cannot be opened");
        continue;
      }
      H5G_info_t info{};
      if (H5Gget_info(group, &info) < 0) {
        complain("bad_group", path, "the group cannot be read");
        continue;
      }
      std::vector<std::string> groups;
      for (hsize_t i = 0; i < info.nlinks; ++i) {
        if (++visited_ > most_objects) {
          complain("too_many_objects", path, "there are more than 100000 objects; the rest was not read");
          return std::move(items_);
        }
        if (!visit(group, path, i, groups)) break;
      }
      if (depth + 1 < deepest)
        for (auto next = groups.rbegin(); next != groups.rend(); ++next) waiting.emplace_back(*next, depth + 1);
      else if (!groups.empty())
        complain("too_deep", path, "groups are nested more than 16 deep; the inner ones were not read");
    }
    return std::move(items_);
  }

 private:
  void complain(const char* code, const std::string& path, const std::string& message) {
    if (findings_.size() < 100)
      findings_.push_back({Severity::serious, code, fmt::format("{}: dataset {}", name_, in_quotes(path)), message, "write the file again"});
  }

  // False when the group's list itself is broken.
  bool visit(hid_t group, const std::string& path, hsize_t index, std::vector<std::string>& groups) {
    std::array<char, 256> buffer{};
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, buffer.data(), buffer.size(), H5P_DEFAULT);
    if (length < 0) {
      complain("bad_group", path, "the list of the group is broken");
      return false;
    }
    if (static_cast<std::size_t>(length) >= buffer.size()) {
      complain("long_name", path, "a name is longer than 255 characters; it was skipped");
      return true;
    }
    const std::string name(buffer.data()), full = (path == "/" ? path : path + "/") + name;
    H5L_info_t link{};
    if (H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return true;
    const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object.good()) {
      complain("bad_object", full, "it cannot be opened");
      return true;
    }
    const H5I_type_t type = H5Iget_type(object);
    if (type == H5I_GROUP) {
      H5Item item;
      item.path = full;
      item.kind = H5Item::Kind::group;
      read_attributes(object, item);
      items_.push_back(std::move(item));
      // Two links to one group would list it twice, and a circle for ever.
      if (seen_.insert(link.u.address).second) groups.push_back(full);
    } else if (type == H5I_DATASET) {
      read_dataset(object, full);
    }
    return true;
  }

  void read_attributes(hid_t object, H5Item& item) {
    if (H5Aexists(object, "MATLAB_class") > 0) {
      const Handle attribute(H5Aopen(object, "MATLAB_class", H5P_DEFAULT), H5Aclose);
      const Handle type(attribute.good() ? H5Aget_type(attribute) : -1, H5Tclose);
      const std::size_t size = type.good() ? H5Tget_size(type) : 0;
      if (type.good() && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && size > 0 && size < 64 &&
          H5Aget_storage_size(attribute) == size) {
        std::string text(size, '\0');
        if (H5Aread(attribute, type, text.data()) >= 0) item.matlab_class = text.c_str();
      }
    }
    item.matlab_empty = H5Aexists(object, "MATLAB_empty") > 0;
    if (H5Aexists(object, "MATLAB_sparse") > 0) {
      const Handle attribute(H5Aopen(object, "MATLAB_sparse", H5P_DEFAULT), H5Aclose);
      const Handle type(attribute.good() ? H5Aget_type(attribute) : -1, H5Tclose);
      std::int64_t rows = -1;
      if (type.good() && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) <= 8 && H5Aget_storage_size(attribute) == H5Tget_size(type) &&
          H5Aread(attribute, H5T_NATIVE_INT64, &rows) >= 0)
        item.matlab_sparse_rows = rows;
    }
  }

  // The product of the extents when it fits the budget; chunks are checked too, since the library holds one at a time.
  bool affordable(hid_t dataset, const std::vector<std::size_t>& shape, std::size_t element, std::size_t& count) const {
    count = 1;
    for (const std::size_t extent : shape) {
      if (extent != 0 && count > budget_ / extent) return false;
      count *= extent;
    }
    if (count > budget_ / element) return false;
    const Handle plan(H5Dget_create_plist(dataset), H5Pclose);
    if (!plan.good()) return false;
    if (H5Pget_layout(plan) != H5D_CHUNKED) return true;
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(plan, static_cast<int>(chunk.size()), chunk.data());
    std::size_t bytes = element;
    for (int i = 0; i < rank; ++i) {
      if (chunk[static_cast<std::size_t>(i)] == 0 || bytes > budget_ / chunk[static_cast<std::size_t>(i)]) return false;
      bytes *= chunk[static_cast<std::size_t>(i)];
    }
    return rank > 0;
  }

  void read_dataset(hid_t dataset, const std::string& path) {
    H5Item item;
    item.path = path;
    read_attributes(dataset, item);
    const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    const int rank = space.good() ? H5Sget_simple_extent_ndims(space) : -1;
    if (!type.good() || rank < 0 || rank > 8) return complain("bad_dataset", path, "type or shape cannot be read");
    std::array<hsize_t, 8> extents{};
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    for (int i = 0; i < rank; ++i) item.shape.push_back(static_cast<std::size_t>(extents[static_cast<std::size_t>(i)]));
    const H5T_class_t kind = H5Tget_class(type);
    const std::size_t stored = H5Tget_size(type);
    const bool is_null = H5Sget_simple_extent_type(space) == H5S_NULL;
    std::size_t count = 0;
    const auto refuse = [&] {
      complain("too_large", path, fmt::format("it claims more than the file can hold ({} dimensions); it was not read", rank));
    };
    if (is_null) {
      item.shape = {0};
      items_.push_back(std::move(item));
      return;
    }
    if (kind == H5T_STRING) {
      if (H5Tis_variable_str(type) != 0 || rank != 0) return complain("type_unknown", path, "only single texts of fixed length are read");
      if (stored == 0 || !affordable(dataset, {}, stored, count)) return refuse();
      item.kind = H5Item::Kind::text;
      item.text.resize(stored);
      if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, item.text.data()) < 0)
        return complain("bad_dataset", path, "its text cannot be read");
      item.text.resize(std::strlen(item.text.c_str()));
      budget_ -= std::min(budget_, stored);
      items_.push_back(std::move(item));
      return;
    }
    herr_t read = -1;
    if ((kind == H5T_FLOAT || kind == H5T_INTEGER) && stored <= 16) {
      if (!affordable(dataset, item.shape, std::max<std::size_t>(stored, 8), count)) return refuse();
      if (kind == H5T_FLOAT) {
        item.numbers.resize(count);
        read = count == 0 ? 0 : H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, item.numbers.data());
      } else {
        item.kind = H5Item::Kind::integer;
        item.integers.resize(count);
        read = count == 0 ? 0 : H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, item.integers.data());
      }
      budget_ -= std::min(budget_, 8 * count);
    } else if (kind == H5T_COMPOUND && stored <= 32 && H5Tget_nmembers(type) == 2 && H5Tget_member_index(type, "real") >= 0 &&
               H5Tget_member_index(type, "imag") >= 0) {
      if (!affordable(dataset, item.shape, 16, count)) return refuse();
      item.kind = H5Item::Kind::complex;
      item.numbers.resize(2 * count);
      const Handle memory = complex_type();
      read = count == 0 ? 0 : H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, item.numbers.data());
      budget_ -= std::min(budget_, 16 * count);
    } else {
      return complain("type_unknown", path, "its type is neither number, complex number nor text; it was skipped");
    }
    if (read < 0) return complain("bad_dataset", path, "its values cannot be read");
    items_.push_back(std::move(item));
  }

  hid_t file_;
  const std::string& name_;
  std::size_t budget_, visited_ = 0;
  std::vector<Finding>& findings_;
  std::vector<H5Item> items_;
  std::set<haddr_t> seen_;
};

std::vector<H5Item> read_open(hid_t file, const std::string& name, std::size_t bytes, std::vector<Finding>& findings) {
  if (file < 0)
    throw_bad_input(name, "the HDF5 library cannot open it: the file is damaged or not HDF5", "check that the file was transferred completely");
  return Reader(file, name, bytes, findings).read();
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

void write_item(hid_t file, const H5Item& item) {
  if (item.kind == H5Item::Kind::group) {
    const Handle group(H5Gcreate2(file, item.path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    demand(group.good(), "an HDF5 group can be made in memory");
    write_class(group, item);
    return;
  }
  const bool text = item.kind == H5Item::Kind::text;
  std::vector<hsize_t> extents(item.shape.begin(), item.shape.end());
  const Handle space(text ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Handle complex = complex_type();
  const Handle string_type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (text) H5Tset_size(string_type, item.text.size() + 1), H5Tset_cset(string_type, H5T_CSET_UTF8);
  // MATLAB texts are arrays of 16-bit characters.
  const hid_t file_type = text                                                                                     ? static_cast<hid_t>(string_type)
                          : item.kind == H5Item::Kind::complex                                                     ? static_cast<hid_t>(complex)
                          : item.kind == H5Item::Kind::real                                                        ? H5T_IEEE_F64LE
                          : item.matlab_class == "char"                                                            ? H5T_STD_U16LE
                          : !item.matlab_class.empty() || item.path.ends_with("/ir") || item.path.ends_with("/jc") ? H5T_STD_U64LE
                                                                                                                   : H5T_STD_I64LE;
  const hid_t memory_type = text                                 ? static_cast<hid_t>(string_type)
                            : item.kind == H5Item::Kind::complex ? static_cast<hid_t>(complex)
                            : item.kind == H5Item::Kind::real    ? H5T_NATIVE_DOUBLE
                                                                 : H5T_NATIVE_INT64;
  const Handle dataset(H5Dcreate2(file, item.path.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  demand(dataset.good(), "an HDF5 dataset can be made in memory");
  const void* data = text                                 ? static_cast<const void*>(item.text.c_str())
                     : item.kind == H5Item::Kind::integer ? static_cast<const void*>(item.integers.data())
                                                          : static_cast<const void*>(item.numbers.data());
  const bool empty = !text && std::any_of(extents.begin(), extents.end(), [](hsize_t extent) { return extent == 0; });
  if (!empty) demand(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "an HDF5 dataset can be written in memory");
  write_class(dataset, item);
}

}  // namespace

bool looks_like_hdf5(std::string_view content) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  return content.substr(0, 8) == signature || content.substr(0, std::min<std::size_t>(content.size(), 520)).ends_with(signature) ||
         (content.size() > 520 && content.substr(512, 8) == signature);
}

std::vector<H5Item> read_hdf5_file(const std::string& path, std::size_t file_bytes, std::vector<Finding>& findings) {
  be_quiet();
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  return read_open(file, path, file_bytes, findings);
}

std::vector<H5Item> parse_hdf5(std::string_view content, const std::string& name, std::vector<Finding>& findings) {
  be_quiet();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, 1 << 16, 0);
  std::string copy(content);
  H5Pset_file_image(access, copy.data(), copy.size());
  const Handle file(H5Fopen("memory", H5F_ACC_RDONLY, access), H5Fclose);
  return read_open(file, name, content.size(), findings);
}

std::string hdf5_bytes(const std::vector<H5Item>& items, bool matlab) {
  be_quiet();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_fapl_core(access, 1 << 20, 0);
  // Times would make equal content differ in bytes.
  H5Pset_obj_track_times(creation, false);
  std::string bytes;
  {
    const Handle file(H5Fcreate("memory", H5F_ACC_TRUNC, creation, access), H5Fclose);
    demand(file.good(), "an HDF5 file can be made in memory");
    for (const H5Item& item : items) write_item(file, item);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t size = H5Fget_file_image(file, nullptr, 0);
    demand(size > 0, "an HDF5 file in memory has bytes");
    bytes.resize(static_cast<std::size_t>(size));
    H5Fget_file_image(file, bytes.data(), bytes.size());
  }
  if (!matlab) return bytes;
  std::string head = "MATLAB 7.3 MAT-file, written by kdyn, HDF5 schema 1.00 .";
  head.resize(124, ' ');
  head += std::string("\x00\x02IM", 4);
  head.resize(512, '\0');
  return head + bytes;
}

}  // namespace kdyn::internal
