// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file_view.hpp"
#include "kdyn/base/write_by.hpp"

namespace kdyn::inline base {
namespace fs = std::filesystem;
namespace {

using Handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void cannot(const char* verb, const std::string& path, const std::string& reason, const char* remedy) {
  throw Error(ErrorCode::file_access, fmt::format("cannot {}: {}", verb, reason), path, remedy);
}

thread_local FileView* view_of_thread = nullptr;

}  // namespace

FileView* file_view() { return view_of_thread; }
WithFileView::WithFileView(FileView* view) : before_(view_of_thread) { view_of_thread = view; }
WithFileView::~WithFileView() { view_of_thread = before_; }

std::string read_text(const std::string& path, std::size_t limit) {
  FileView* const view = file_view();
  if (view != nullptr)
    if (const auto content = view->content(path)) return *content;
  std::error_code ec;
  if (fs::is_directory(path, ec)) cannot("read", path, "is a directory", "name a file in it");
  Handle file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) cannot("read", path, std::strerror(errno), "check the name and the permissions");
  std::string content;
  const auto size = fs::file_size(path, ec);
  if (!ec) {
    if (size > limit)
      throw_bad_input(path, fmt::format("file has {} bytes, the limit is {}", size, limit),
                      "split the file or thin the data out");
    content.reserve(size);
  }
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
    if (content.size() + n > limit)
      throw_bad_input(path, fmt::format("file has more than {} bytes, the limit", limit),
                      "split the file or thin the data out");
    content.append(buffer, n);
  }
  if (std::ferror(file.get())) cannot("read", path, std::strerror(errno), "check the file system");
  if (view != nullptr) view->was_read(path, content);
  return content;
}

void write_by(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  std::error_code ec;
  const fs::path target(path);
  if (target.has_parent_path()) {
    fs::create_directories(target.parent_path(), ec);
    if (ec) cannot("create folder", target.parent_path().string(), ec.message(), "choose another --out folder");
  }
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  try {
    write(temporary);
  } catch (...) {
    fs::remove(temporary, ec);
    throw;
  }
  fs::rename(temporary, target, ec);
  if (ec) {
    const std::string reason = ec.message();
    fs::remove(temporary, ec);
    cannot("write", path, reason, "check the folder and the permissions");
  }
}

void write_pieces(const std::string& path, const std::function<void(const ByteSink& sink)>& make) {
  write_by(path, [&](const std::string& temporary) {
    Handle file(std::fopen(temporary.c_str(), "wb"), &std::fclose);
    if (!file) cannot("write", path, std::strerror(errno), "check the folder and the permissions");
    make([&](std::string_view piece) {
      if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size())
        cannot("write", path, std::strerror(errno), "is the disk full?");
    });
    // Closing writes the rest and may be the call that meets the full disk.
    if (std::fclose(file.release()) != 0) cannot("write", path, std::strerror(errno), "is the disk full?");
  });
}

void write_text(const std::string& path, std::string_view content) {
  write_pieces(path, [&](const ByteSink& sink) { sink(content); });
}

}  // namespace kdyn::inline base
