// SPDX-License-Identifier: Apache-2.0
// What writing through the HDF5 library needs everywhere.
#pragma once

#include <hdf5.h>

namespace kdyn::inline io::internal {

// An HDF5 handle that closes itself.
class H5Handle {
 public:
  H5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  H5Handle(H5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  H5Handle(const H5Handle&) = delete;
  H5Handle& operator=(const H5Handle&) = delete;
  ~H5Handle() { close(); }
  operator hid_t() const { return id_; }
  bool good() const { return id_ >= 0; }
  // False when the library could not.
  bool close() {
    const hid_t id = id_;
    id_ = -1;
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline void be_quiet_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// Times would make equal content differ in bytes.
inline H5Handle creation_without_times() {
  H5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

// Of a file whose temporary name nobody else knows.
inline H5Handle access_to_own_file() {
  H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);
#endif
  return access;
}

}  // namespace kdyn::inline io::internal
