// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/inside.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline base {
namespace fs = std::filesystem;

std::string inside(const std::string& folder, std::string_view name) {
  const auto refuse = [&] {
    throw_bad_input(folder,
                    fmt::format("the name {} leads out of this folder", in_quotes(std::string(name.substr(0, 200)))),
                    "use a plain relative name, such as model.json; one that comes out of a file is changed there");
  };
  if (name.empty() || name.size() > 4000 || name.front() == '/') refuse();
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') refuse();
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    if (part.empty() || part == "." || part == "..") refuse();
    start = end + 1;
  }
  const fs::path path = fs::path(folder) / name;
  std::error_code ec;
  const fs::path base = fs::weakly_canonical(folder.empty() ? fs::path(".") : fs::path(folder), ec);
  const fs::path real =
      ec ? fs::path() : fs::weakly_canonical(path.parent_path().empty() ? fs::path(".") : path.parent_path(), ec);
  if (ec || std::mismatch(base.begin(), base.end(), real.begin(), real.end()).first != base.end()) refuse();
  return path.string();
}

}  // namespace kdyn::inline base
