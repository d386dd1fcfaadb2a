// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/project.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

constexpr const char* own_folder = ".kdyn";

[[noreturn]] void outside(const std::string& where, std::string_view path) {
  throw_bad_input(
      where, fmt::format("{} leads out of the project folder", in_quotes(std::string(path))),
      "name a file by its path inside the project, such as data/map.csv; drop files that lie elsewhere onto the page");
}

std::string random_token() {
  unsigned char bytes[32];
  demand(::getrandom(bytes, sizeof bytes, 0) == static_cast<ssize_t>(sizeof bytes), "the system has random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// "a//b" and "a/./b" have no business in a request either.
bool is_plain_relative(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.size() > 4000) return false;
  if (path.find('\0') != std::string_view::npos || path.find('\\') != std::string_view::npos) return false;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part.front() == '.') return false;
    start = end + 1;
  }
  return true;
}

// Takes the name only when it is free: two uploads at once cannot overwrite each other. errno is EEXIST when it is not.
bool take_name(const fs::path& file, const fs::path& name) {
#ifdef __EMSCRIPTEN__  // no hard links; nobody else is there
  std::error_code ec;
  if (fs::exists(fs::symlink_status(name, ec))) return errno = EEXIST, false;
  return ::rename(file.c_str(), name.c_str()) == 0;
#else
  return ::link(file.c_str(), name.c_str()) == 0;
#endif
}

bool lies_below(const fs::path& root, const fs::path& path) {
  const auto [rest, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return rest == root.end();
}

}  // namespace

Project::Project(const std::string& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  root_ = fs::canonical(folder, ec);
  if (ec || !fs::is_directory(root_))
    throw Error(ErrorCode::file_access,
                fmt::format("is no folder that can be used ({})", ec ? ec.message() : "it is a file"), folder,
                "choose another --project folder");
  for (const char* part : {own_folder, "data", "jobs", "models"}) {
    fs::create_directory(root_ / part, ec);
    if (ec || fs::is_symlink(root_ / part))
      throw Error(ErrorCode::file_access, ec ? "cannot make it: " + ec.message() : "is a link; it must be a folder",
                  (root_ / part).string(), "choose another --project folder");
  }
  const std::string lock = (root_ / own_folder / "lock").string();
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (lock_ >= 0) ::close(lock_);
    throw Error(ErrorCode::file_access, "another kdyn serve works on this project", root_.string(),
                "stop it, or give --project another folder");
  }
  ::chmod((root_ / own_folder).c_str(), 0700);
  ::unlink((root_ / own_folder / "token").c_str());  // earlier versions kept it
  // Uploads that a killed server left behind.
  for (const char* part : {"data", "models"})
    for (const fs::directory_entry& entry : fs::directory_iterator(root_ / part, ec))
      if (entry.path().filename().string().starts_with(".incoming-")) fs::remove(entry.path(), ec);
  token_ = random_token();
}

Project::~Project() {
  if (lock_ >= 0) ::close(lock_);
}

fs::path Project::inside(std::string_view relative) const {
  if (!is_plain_relative(relative)) outside("path", relative);
  const fs::path path = root_ / relative;
  // Links on the way to a file that is not there yet.
  std::error_code ec;
  const fs::path real = fs::weakly_canonical(path, ec);
  if (ec || !lies_below(root_, real)) outside("path", relative);
  return path;
}

fs::path Project::existing(std::string_view relative) const {
  const fs::path path = inside(relative);
  std::error_code ec;
  const fs::path real = fs::canonical(path, ec);
  if (ec)
    throw Error(ErrorCode::file_access, "there is no such file in the project", std::string(relative),
                "check the name");
  if (!lies_below(root_, real)) outside("path", relative);
  return real;
}

std::string Project::relative(const fs::path& path) const { return path.lexically_relative(root_).generic_string(); }

std::vector<ProjectFile> Project::files(std::string_view folder, std::size_t limit) const {
  std::vector<ProjectFile> all;
  std::error_code ec;
  // Folders that are links are not entered: they could form a ring or lead outside.
  for (fs::recursive_directory_iterator it(existing(folder), fs::directory_options::skip_permission_denied, ec), end;
       !ec && it != end; it.increment(ec)) {
    if (it->path().filename().string().starts_with(".")) {
      if (it->is_directory(ec)) it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file(ec) || it->is_symlink(ec)) continue;
    struct stat status {};
    if (::stat(it->path().c_str(), &status) != 0) continue;
    all.push_back({relative(it->path()), static_cast<std::uintmax_t>(status.st_size),
                   static_cast<std::int64_t>(status.st_mtime)});
  }
  std::sort(all.begin(), all.end(), [](const ProjectFile& a, const ProjectFile& b) {
    return a.changed != b.changed ? a.changed > b.changed : a.path < b.path;
  });
  if (all.size() > limit) all.resize(limit);
  return all;
}

void Project::check_text(const std::string& text, const std::string& where) const {
  if (text.find('\0') != std::string::npos) outside(where, text);
  if (text.find('/') == std::string::npos && text.find('\\') == std::string::npos && !text.starts_with(".") &&
      !text.starts_with("~")) {
    // One word: a title, a unit, or something in the project folder itself, which may be a link.
    std::error_code ec;
    const fs::path real = fs::weakly_canonical(root_ / text, ec);
    if (!ec && !lies_below(root_, real)) outside(where, text);
    return;
  }
  // A slash makes it a possible path; a unit such as N/mm is one too and passes, because it leads nowhere else.
  if (text.starts_with("/") || text.starts_with("~")) outside(where, text);
  std::error_code ec;
  const fs::path path = root_ / text;
  for (const fs::path& part : fs::path(text))
    if (part == ".." || part == own_folder) outside(where, text);
  const fs::path real = fs::weakly_canonical(path, ec);
  if (ec || !lies_below(root_, real) || lies_below(root_ / own_folder, real)) outside(where, text);
}

void Project::begin_session(const OwnMark& mark) {
  const std::string path = (root_ / own_folder / "session.json").string();
  struct stat status {};
  // One that came with the folder of somebody else carries another mark, or none: he would know the token.
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
      (status.st_mode & 077) == 0)
    try {
      const Json kept = read_json(path);
      if (kept.is_object() && kept.value("folder", "") == root_.string() && mark.is_on("session", kept))
        token_ = kept.at("token").get<std::string>();
    } catch (const std::exception&) {  // a new one then
    }
  ::unlink(path.c_str());
  if (!mark.is_kept()) return;
  Json session = {{"token", token_}, {"folder", root_.string()}};
  mark.put("session", session);
  try {
    write_text(path, dump_json(session));
    ::chmod(path.c_str(), 0600);
  } catch (const Error&) {  // it is for comfort only
  }
}

void Project::end_session() { ::unlink((root_ / own_folder / "session.json").c_str()); }

std::string Project::report_key(const std::string& path) const { return sha256("report " + path + "\n" + token_); }

std::string checked_file_name(std::string_view name) {
  const bool bad = name.empty() || name.size() > 200 || name.front() == '.' || name.front() == ' ' ||
                   name.back() == ' ' || std::any_of(name.begin(), name.end(), [](unsigned char c) {
                     return c < 0x20 || c == 0x7f || c == '/' || c == '\\' || c == ':';
                   });
  if (bad)
    throw_bad_input("name", fmt::format("{} is no name for a file of the project", in_quotes(std::string(name))),
                    "use up to 200 characters without / \\ : and not starting with a dot");
  return std::string(name);
}

IncomingFile::IncomingFile(const Project& project, std::string_view folder, std::string_view name)
    : project_(project),
      folder_(project.existing(folder)),
      name_(checked_file_name(name)) {
  static std::atomic<unsigned> count{0};
  temporary_ = folder_ / fmt::format(".incoming-{}-{}", ::getpid(), count++);
  file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0)
    throw Error(ErrorCode::file_access, fmt::format("cannot write: {}", std::strerror(errno)), name_,
                "check the project folder");
}

IncomingFile::~IncomingFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void IncomingFile::write(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t n = ::write(file_, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw Error(ErrorCode::file_access, fmt::format("cannot write: {}", std::strerror(errno)), name_,
                  "is the disk full?");
    bytes += n;
    count -= static_cast<std::size_t>(n);
  }
}

std::string IncomingFile::finish() {
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0)
    throw Error(ErrorCode::file_access, fmt::format("cannot write: {}", std::strerror(errno)), name_,
                "is the disk full?");
  const fs::path wanted(name_);
  for (int number = 1; number < 10000; ++number) {
    const std::string name =
        number == 1 ? name_ : fmt::format("{}_{}{}", wanted.stem().string(), number, wanted.extension().string());
    const fs::path target = folder_ / name;
    if (take_name(temporary_, target)) return project_.relative(target);
    if (errno != EEXIST)
      throw Error(ErrorCode::file_access, fmt::format("cannot write: {}", std::strerror(errno)), name_,
                  "check the project folder");
    std::error_code ec;
    if (!fs::is_symlink(target) && fs::is_regular_file(target) &&
        fs::file_size(target, ec) == fs::file_size(temporary_, ec) && !ec &&
        sha256(read_text(target.string())) == sha256(read_text(temporary_.string())))
      return project_.relative(target);
  }
  throw_bad_input("name", fmt::format("there are too many files called {}", in_quotes(name_)), "rename it");
}

}  // namespace kdyn::app
