// SPDX-License-Identifier: Apache-2.0
// The files of a zip archive that is no workbook (an FMU), unpacked within the limits of workbooks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline io {

struct ArchiveFile {
  std::string name;  // relative, with '/'
  std::string content;
};

// Those files that `wanted` names. Throws Error(bad_input): damaged, too large, or a name that leads out of the folder
// where the archive is unpacked.
std::vector<ArchiveFile> archive_files(std::string_view content, const std::string& name,
                                       const std::function<bool(const std::string&)>& wanted);

}  // namespace kdyn::inline io
