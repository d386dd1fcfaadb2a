// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace kdyn::inline base {
namespace fs = std::filesystem;

fs::path program_file() {
  std::error_code none;
  // Linux, then systems that mount it in the manner of BSD.
  for (const char* link : {"/proc/self/exe", "/proc/curproc/file"})
    if (const fs::path file = fs::read_symlink(link, none); !none && !file.empty()) return file;
  return {};
}

std::string find_module(const char* variable, const char* name) {
  if (const char* named = std::getenv(variable)) return named;
  std::vector<fs::path> places;
  if (const fs::path folder = program_file().parent_path(); !folder.empty())
    places = {folder, folder.parent_path(), folder.parent_path() / KDYN_MODULE_FOLDER};
  places.emplace_back(KDYN_INSTALLED_MODULE_FOLDER);
  std::error_code none;
  for (const fs::path& place : places)
    if (const fs::path path = place / name; fs::is_regular_file(path, none)) return path.string();
  return {};
}

void close_other_files(posix_spawn_file_actions_t& actions) {
#if defined(__GLIBC__) && !defined(KDYN_PLAIN_POSIX)
#if __GLIBC_PREREQ(2, 34)
#define KDYN_HAS_CLOSEFROM 1
#endif
#endif
#ifdef KDYN_HAS_CLOSEFROM
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#else
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int file = 3, end = static_cast<int>(std::clamp(limit, 256L, 65536L)); file < end; ++file)
    if (::fcntl(file, F_GETFD) != -1) posix_spawn_file_actions_addclose(&actions, file);
#endif
}

}  // namespace kdyn::inline base
