// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/fmu_package.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <dlfcn.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/archive_files.hpp"

namespace kdyn::mbs::internal {
namespace fs = std::filesystem;

extern "C" {
static void kdyn_fmi_log(void* environment, const char*, int status, const char*, const char* format, ...) {
  if (environment == nullptr || format == nullptr || status == 0) return;
  char text[512];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  auto& messages = *static_cast<std::string*>(environment);
  constexpr std::size_t most = 2000;
  if (messages.size() < most) messages += (messages.empty() ? "" : "; ") + std::string(text);
}
}

KdynFmiCallbacks FmuPackage::callbacks(std::string* messages) {
  return {kdyn_fmi_log, std::calloc, std::free, nullptr, messages};
}

FmuPackage::FmuPackage(std::string path, std::string where, std::string remedy)
    : path_(std::move(path)),
      where_(std::move(where)),
      remedy_(std::move(remedy)),
      archive_(read_text(path_)) {
  std::string description;
  for (const ArchiveFile& file :
       archive_files(archive_, path_, [](const std::string& n) { return n == "modelDescription.xml"; }))
    description = file.content;
  if (description.empty()) throw_bad_input(where_, path_ + " is no FMU: it has no modelDescription.xml", remedy_);
  if (!document_.load_buffer(description.data(), description.size()))
    throw_bad_input(where_, path_ + ": modelDescription.xml is damaged", "export the FMU again");
}

FmuPackage::~FmuPackage() {
  if (library_ != nullptr) ::dlclose(library_);
  std::error_code ec;
  if (!folder_.empty()) fs::remove_all(folder_, ec);
}

void FmuPackage::load(const std::string& identifier, const std::string& folder) {
  if (identifier.empty() || identifier.find('/') != std::string::npos)
    throw_bad_input(where_, "the FMU names no binary", "export the FMU again");
  std::string pattern = (fs::temp_directory_path() / "kdyn-fmu-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)  // for this user alone
    throw Error(ErrorCode::file_access, "cannot make a folder for the FMU", pattern, "is the disk full?");
  folder_ = pattern;
  const std::string binaries = "binaries/" + folder + "/", binary = binaries + identifier + ".so";
  bool found = false;
  for (const ArchiveFile& file : archive_files(archive_, path_, [&](const std::string& n) {
         return n == binary || n.starts_with(binaries) || n.starts_with("resources/");
       })) {
    found = found || file.name == binary;
    fs::create_directories((folder_ / file.name).parent_path());
    write_text((folder_ / file.name).string(), file.content);
  }
  archive_.clear();
  if (!found) throw_bad_input(where_, "the FMU has no binary for Linux (x86-64)", remedy_);
  fs::create_directories(resources());
  ::chmod((folder_ / binary).c_str(), 0700);
  library_ = ::dlopen((folder_ / binary).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr)
    throw_bad_input(where_, fmt::format("the binary of the FMU cannot be loaded: {}", ::dlerror()),
                    "does it need a licence or libraries that are not installed?");
}

void* FmuPackage::symbol(const char* name, bool needed) const {
  void* found = ::dlsym(library_, name);
  if (found == nullptr && needed) throw_bad_input(where_, fmt::format("the FMU lacks the function {}", name), remedy_);
  return found;
}

}  // namespace kdyn::mbs::internal
