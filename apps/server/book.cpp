// SPDX-License-Identifier: Apache-2.0
#include "book.hpp"

#include <filesystem>

#include "kdyn/app/example_files.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::server {
namespace fs = std::filesystem;

Book::Book(const std::string& folder) {
  constexpr std::uintmax_t at_most = 64u << 20;
  std::error_code ec;
  const fs::path root = fs::canonical(folder, ec);
  if (ec || !fs::is_directory(root, ec)) return;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root, ec)) {
    const std::string name = entry.path().lexically_relative(root).generic_string();
    if (entry.is_symlink(ec) || !entry.is_regular_file(ec) || name.starts_with('.') ||
        name.find("/.") != std::string::npos)
      continue;
    bytes += entry.file_size(ec);
    if (bytes > at_most) break;
    pages_[name] = read_text(entry.path().string());
  }
}

Book Book::beside_program() {
  try {
    return Book(app::share_folder() + "/book");
  } catch (const Error&) {
    return Book("");  // a program without its share folder serves without a book
  }
}

const std::string* Book::page(const std::string& path) const {
  const auto found = pages_.find(path.empty() || path.ends_with('/') ? path + "index.html" : path);
  return found == pages_.end() ? nullptr : &found->second;
}

std::string Book::type_of(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".html" || ending.empty()) return "text/html; charset=utf-8";
  if (ending == ".css") return "text/css; charset=utf-8";
  if (ending == ".js") return "text/javascript; charset=utf-8";
  if (ending == ".webp") return "image/webp";
  if (ending == ".png") return "image/png";
  if (ending == ".svg") return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace kdyn::server
