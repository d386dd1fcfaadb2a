// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file_view.hpp"

namespace kdyn::inline base {

std::shared_ptr<const ByteSource> ByteSource::open(const std::string& path) {
  if (const FileView* view = file_view())
    if (const auto content = view->content(path)) return holding(std::string(*content));
  const auto fail = [&](const std::string& reason, const char* remedy) {
    throw Error(ErrorCode::file_access, "cannot read: " + reason, path, remedy);
  };
  std::shared_ptr<ByteSource> out(new ByteSource);
  out->path_ = path;
  out->handle_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (out->handle_ < 0) fail(std::strerror(errno), "check the name and the permissions");
  struct stat facts {};
  if (::fstat(out->handle_, &facts) != 0) fail(std::strerror(errno), "check the file system");
  if (S_ISDIR(facts.st_mode)) fail("is a directory", "name a file in it");
  if (!S_ISREG(facts.st_mode)) fail("is no ordinary file", "copy it to a file first");
  out->size_ = static_cast<std::uint64_t>(facts.st_size);
  return out;
}

std::shared_ptr<const ByteSource> ByteSource::of(std::string_view bytes) {
  std::shared_ptr<ByteSource> out(new ByteSource);
  out->memory_ = bytes;
  out->size_ = bytes.size();
  return out;
}

std::shared_ptr<const ByteSource> ByteSource::holding(std::string&& bytes) {
  std::shared_ptr<ByteSource> out(new ByteSource);
  out->held_ = std::move(bytes);
  out->memory_ = out->held_;
  out->size_ = out->held_.size();
  return out;
}

ByteSource::~ByteSource() {
  if (handle_ >= 0) ::close(handle_);
}

std::string_view ByteSource::at(std::uint64_t offset, std::size_t count, std::string& scratch) const {
  demand(offset <= size_ && count <= size_ - offset, "bytes asked for lie in the file");
  if (handle_ < 0) return memory_.substr(offset, count);
  if (scratch.size() < count) scratch.resize(count);
  std::size_t got = 0;
  while (got < count) {
    const ssize_t n = ::pread(handle_, scratch.data() + got, count - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw Error(
          ErrorCode::file_access,
          n < 0 ? fmt::format("cannot read: {}", std::strerror(errno)) : "the file became shorter while it was read",
          path_, "try again when nobody writes it");
    got += static_cast<std::size_t>(n);
  }
  return std::string_view(scratch).substr(0, count);
}

std::string_view ByteSource::up_to(std::uint64_t offset, std::size_t count, std::string& scratch) const {
  if (offset >= size_) return {};
  return at(offset, static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset)), scratch);
}

}  // namespace kdyn::inline base
