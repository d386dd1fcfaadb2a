// SPDX-License-Identifier: Apache-2.0
// The binary of FMUs of multibody systems: FMI 2.0 and FMI 3.0 over kdyn's own multibody module. The model stands in
// resources/system.json, which is found by the place that the tool names, or beside the binary when it names none.
#include <link.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <string>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fmu/runtime/system_core.hpp"

namespace kdyn::fmi {
namespace {

// FMI 2.0 names a URI, FMI 3.0 a path: file:///a%20b/resources, file:/a/resources, file://host/a/resources,
// /a/resources/.
std::string path_of(const std::string& given) {
  if (given.compare(0, 5, "file:") != 0) return given;
  std::string rest = given.substr(5), out;
  if (rest.compare(0, 2, "//") == 0)
    rest = rest.find('/', 2) == std::string::npos ? "" : rest.substr(rest.find('/', 2));
  for (std::size_t i = 0; i < rest.size(); ++i) {
    unsigned code = 0;
    if (rest[i] == '%' && i + 2 < rest.size() && std::sscanf(rest.substr(i + 1, 2).c_str(), "%2x", &code) == 1)
      out += static_cast<char>(code), i += 2;
    else
      out += rest[i];
  }
  return out;
}

// binaries/linux64/name.so -> resources
std::string beside_this_binary() {
  std::string binary;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        const auto here = reinterpret_cast<ElfW(Addr)>(&beside_this_binary);
        for (int i = 0; i < object->dlpi_phnum; ++i)
          if (const ElfW(Phdr)& part = object->dlpi_phdr[i];
              part.p_type == PT_LOAD && here - (object->dlpi_addr + part.p_vaddr) < part.p_memsz)
            *static_cast<std::string*>(out) = object->dlpi_name;
        return 0;
      },
      &binary);
  if (binary.empty()) return {};
  return (std::filesystem::absolute(binary).parent_path().parent_path().parent_path() / "resources").string();
}

std::string read_system(const char* resources) {
  std::string looked;
  for (const std::string& folder : {path_of(resources == nullptr ? "" : resources), beside_this_binary()}) {
    if (folder.empty()) continue;
    const std::string path = (std::filesystem::path(folder) / "system.json").string();
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) return read_text(path);
    looked += (looked.empty() ? "" : " nor ") + path;
  }
  throw Error(ErrorCode::file_access, "the model of this FMU is not there", looked,
              "name the folder resources of the unpacked FMU");
}

}  // namespace

SystemCore* create_core(const char* name, const char* token, const char* resources, bool co_simulation, Reason& why) {
  try {
    if (!co_simulation)
      throw Error(ErrorCode::bad_input, "this FMU is for co-simulation alone", "instantiation",
                  "use its co-simulation");
    const std::string text = read_system(resources);
    if (token == nullptr || system_token(text) != token) return nullptr;
    auto core = std::make_unique<SystemCore>(text);
    if (name != nullptr) std::snprintf(core->name, sizeof core->name, "%s", name);
    return core.release();
  } catch (const Error& error) {
    std::snprintf(why.text, sizeof why.text, "%s: %s; %s", error.where().c_str(), error.message().c_str(),
                  error.remedy().c_str());
  } catch (const std::exception& error) {
    std::snprintf(why.text, sizeof why.text, "%s", error.what());
  } catch (...) {
    std::snprintf(why.text, sizeof why.text, "an unknown error");
  }
  return nullptr;
}

}  // namespace kdyn::fmi

// Over what stands above.
#include "kdyn/fmu/runtime/fmi2_functions.hpp"
#include "kdyn/fmu/runtime/fmi3_functions.hpp"
