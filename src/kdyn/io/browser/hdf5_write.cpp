// SPDX-License-Identifier: Apache-2.0
// HDF5 is read by kdyn itself and written by a library that the page without a server does not carry.
#include "kdyn/base/error.hpp"
#include "kdyn/io/internal/hdf5_growing.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"

namespace kdyn::inline io::internal {
namespace {

[[noreturn]] void not_here(const std::string& path) {
  throw_bad_input(path, "HDF5 and MATLAB 7.3 files are not written in the browser",
                  "choose another format, or use the full kdyn");
}

}  // namespace

std::string hdf5_bytes(std::vector<H5Item>, bool) { not_here("output"); }
void write_hdf5(const std::string& path, std::vector<H5Item>, bool) { not_here(path); }

struct GrowingHdf5::File {};
GrowingHdf5::GrowingHdf5(const std::string& path, const std::vector<std::pair<std::string, std::string>>&,
                         const std::string&, std::size_t) {
  not_here(path);
}
GrowingHdf5::~GrowingHdf5() = default;
void GrowingHdf5::append(std::size_t, const std::vector<double>&) {}
void GrowingHdf5::close() {}

}  // namespace kdyn::inline io::internal
