// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/file_room.hpp"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;

GrowingFile::GrowingFile(std::string name, Progress& progress) : name_(std::move(name)) {
  auto* room = dynamic_cast<FileRoom*>(&progress);
  if (room != nullptr && room->has_room()) {
    kept_ = true;
    path_ = room->room(name_);
    return;
  }
  std::error_code ec;
  path_ = (fs::temp_directory_path(ec) / "kdyn-XXXXXX").string();
  const int handle = ::mkstemp(path_.data());
  if (handle < 0)
    throw Error(ErrorCode::file_access, "cannot write temporary files", path_, "give --out DIR, or set TMPDIR");
  ::close(handle);
}

GrowingFile::~GrowingFile() {
  std::error_code ec;
  if (!kept_) fs::remove(path_, ec);
}

void GrowingFile::finish(std::vector<OutputFile>& files) {
  if (!kept_) files.push_back({name_, read_text(path_)});
}

}  // namespace kdyn::app
