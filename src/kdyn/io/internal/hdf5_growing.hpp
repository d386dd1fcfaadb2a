// SPDX-License-Identifier: Apache-2.0
// An HDF5 file whose lists of numbers grow while it is written.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kdyn::inline io::internal {

class GrowingHdf5 {
 public:
  static constexpr std::size_t chunk = 2048;  // numbers of a list that lie together in the file

  // Texts by path, and `lists` empty lists group/0, group/1, ...
  GrowingHdf5(const std::string& path, const std::vector<std::pair<std::string, std::string>>& texts,
              const std::string& group, std::size_t lists);
  ~GrowingHdf5();
  GrowingHdf5(const GrowingHdf5&) = delete;
  GrowingHdf5& operator=(const GrowingHdf5&) = delete;

  void append(std::size_t list, const std::vector<double>& numbers);
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace kdyn::inline io::internal
