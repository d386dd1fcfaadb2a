// SPDX-License-Identifier: Apache-2.0
// An FMU as a file: its description, its binary for Linux unpacked into a private folder and loaded. Loading runs the
// FMU's own code in this process: only when the user has said so.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <pugixml.hpp>

namespace kdyn::mbs::internal {

// FMI 2.0 as the standard prescribes it (platform "default").
extern "C" {
struct KdynFmiCallbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(std::size_t, std::size_t);
  void (*release)(void*);
  void (*step_finished)(void*, int);
  void* environment;
};
}

class FmuPackage {
 public:
  // Reads the description; `remedy` says what would do instead. Throws Error(bad_input) with `where`.
  FmuPackage(std::string path, std::string where, std::string remedy);
  ~FmuPackage();
  FmuPackage(const FmuPackage&) = delete;
  FmuPackage& operator=(const FmuPackage&) = delete;

  pugi::xml_node root() const { return document_.child("fmiModelDescription"); }
  std::string version() const { return root().attribute("fmiVersion").value(); }
  // Unpacks and loads binaries/FOLDER/IDENTIFIER.so and resources.
  void load(const std::string& identifier, const std::string& folder);
  void* symbol(const char* name, bool needed) const;
  template <class F>
  void find(F& function, const char* name, bool needed = true) const {
    function = reinterpret_cast<F>(symbol(name, needed));
  }
  std::filesystem::path resources() const { return folder_ / "resources"; }

  // Collects what the FMU says; `messages` of the callbacks is a std::string.
  static KdynFmiCallbacks callbacks(std::string* messages);

 private:
  std::string path_, where_, remedy_, archive_;
  pugi::xml_document document_;
  std::filesystem::path folder_;
  void* library_ = nullptr;
};

}  // namespace kdyn::mbs::internal
