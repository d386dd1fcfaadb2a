// SPDX-License-Identifier: Apache-2.0
// Parts of a zip archive in memory, unpacked within limits: what an archive claims of itself is not believed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/table.hpp"

struct zip;

namespace kdyn::inline io::internal {

class ZipParts {
 public:
  // Throws Error(bad_input): damaged, too many entries.
  ZipParts(std::string_view content, const std::string& name, const SpreadsheetLimits& limits);
  ~ZipParts();
  ZipParts(const ZipParts&) = delete;
  ZipParts& operator=(const ZipParts&) = delete;

  bool has(const std::string& part) const;
  std::vector<std::string> names() const;
  // Throws when it is missing, encrypted, packed in an unusual way, damaged or larger than the limits allow.
  std::string read(const std::string& part);
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  SpreadsheetLimits limits_;
  std::string_view content_;
  struct zip* archive_ = nullptr;
  std::size_t total_ = 0;
};

}  // namespace kdyn::inline io::internal
