// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/hdf5_growing.hpp"

#include <mutex>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/io/internal/hdf5_handle.hpp"

namespace kdyn::inline io::internal {
namespace {

// The library as Debian builds it serves one thread at a time.
std::mutex& library() {
  static std::mutex one;
  return one;
}

}  // namespace

struct GrowingHdf5::File {
  std::string path;
  H5Handle file{-1, H5Fclose};
  std::vector<H5Handle> lists;
  std::vector<hsize_t> sizes;

  void require(bool good) const {
    if (!good)
      throw Error(ErrorCode::file_access, "cannot write: the HDF5 library gave up", path,
                  "is the disk full? Check the folder and the permissions");
  }
};

GrowingHdf5::GrowingHdf5(const std::string& path, const std::vector<std::pair<std::string, std::string>>& texts,
                         const std::string& group, std::size_t lists) {
  const std::scoped_lock lock(library());
  be_quiet_hdf5();
  const H5Handle creation = creation_without_times(), access = access_to_own_file();
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
  file_ = std::make_unique<File>(File{path, H5Handle(id, H5Fclose), {}, {}});
  file_->require(id >= 0);
  {
    const H5Handle made(H5Gcreate2(id, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    file_->require(made.good());
  }
  for (const auto& [place, text] : texts) {
    const H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type, text.size() + 1), H5Tset_cset(type, H5T_CSET_UTF8);
    const H5Handle set(H5Dcreate2(id, place.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    file_->require(set.good() && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) >= 0);
  }
  const H5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), reach(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  const hsize_t none = 0, without_end = H5S_UNLIMITED, together = chunk;
  H5Pset_chunk(layout, 1, &together);
  H5Pset_obj_track_times(layout, false);
  H5Pset_chunk_cache(reach, 0, 0, 1.0);  // whole chunks are written: nothing needs to be kept
  const H5Handle space(H5Screate_simple(1, &none, &without_end), H5Sclose);
  for (std::size_t i = 0; i < lists; ++i) {
    const std::string place = fmt::format("{}/{}", group, i);
    file_->lists.emplace_back(H5Dcreate2(id, place.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, reach),
                              H5Dclose);
    file_->require(file_->lists.back().good());
  }
  file_->sizes.assign(lists, 0);
}

GrowingHdf5::~GrowingHdf5() {
  if (!file_) return;
  const std::scoped_lock lock(library());
  file_->lists.clear();
  file_->file.close();
}

void GrowingHdf5::append(std::size_t list, const std::vector<double>& numbers) {
  if (numbers.empty()) return;
  const std::scoped_lock lock(library());
  const hsize_t from = file_->sizes[list], count = numbers.size(), to = from + count;
  const H5Handle& set = file_->lists[list];
  file_->require(H5Dset_extent(set, &to) >= 0);
  const H5Handle place(H5Dget_space(set), H5Sclose), here(H5Screate_simple(1, &count, nullptr), H5Sclose);
  file_->require(H5Sselect_hyperslab(place, H5S_SELECT_SET, &from, nullptr, &count, nullptr) >= 0 &&
                 H5Dwrite(set, H5T_NATIVE_DOUBLE, here, place, H5P_DEFAULT, numbers.data()) >= 0);
  file_->sizes[list] = to;
}

void GrowingHdf5::close() {
  const std::scoped_lock lock(library());
  bool good = true;
  for (H5Handle& list : file_->lists) good = list.close() && good;
  good = H5Fflush(file_->file, H5F_SCOPE_GLOBAL) >= 0 && good;
  good = file_->file.close() && good;
  file_->require(good);
}

}  // namespace kdyn::inline io::internal
