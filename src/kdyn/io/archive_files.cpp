// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/archive_files.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/zip_parts.hpp"

namespace kdyn::inline io {
namespace {

bool leads_out(const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || name.find('\\') != std::string::npos || name.find('\0') != std::string::npos) return true;
  for (const auto& part : path)
    if (part == "..") return true;
  return false;
}

}  // namespace

std::vector<ArchiveFile> archive_files(std::string_view content, const std::string& name,
                                       const std::function<bool(const std::string&)>& wanted) {
  if (content.empty()) throw_bad_input(name, "the file is empty", "copy it again");
  internal::ZipParts parts(content, name, {});
  std::vector<ArchiveFile> out;
  for (const std::string& part : parts.names()) {
    if (leads_out(part))
      throw_bad_input(name, fmt::format("the archive holds {}, which leads out of its folder", in_quotes(part)),
                      "do not use this file");
    if (!part.empty() && part.back() != '/' && wanted(part)) out.push_back({part, parts.read(part)});
  }
  return out;
}

}  // namespace kdyn::inline io
