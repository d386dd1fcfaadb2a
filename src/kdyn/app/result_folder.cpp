// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/result_folder.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/inside.hpp"
#include "kdyn/report/html.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

constexpr const char* hidden_prefix = ".kdyn-new-";

std::atomic<bool> published{false};

[[noreturn]] void cannot(const std::string& path, const std::string& reason, const char* remedy) {
  throw Error(ErrorCode::file_access, "cannot write: " + reason, path, remedy);
}

bool is_result(const std::string& name) { return fs::path(name).filename() == "result.json"; }

void sync_folder(const fs::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

}  // namespace

ResultFolder::ResultFolder(std::string folder) : folder_(std::move(folder)) {
  std::error_code ec;
  if (fs::exists(folder_, ec) && !fs::is_directory(folder_, ec))
    throw Error(ErrorCode::file_access, "is a file, not a folder", folder_,
                "give --out a folder; it is made when it is missing");
  for (fs::path part = fs::absolute(folder_).lexically_normal();
       !part.empty() && !fs::exists(part, ec) && part != part.parent_path(); part = part.parent_path())
    made_.insert(made_.begin(), part.string());
  fs::create_directories(folder_, ec);
  if (ec) cannot(folder_, ec.message(), "choose another --out folder");
  handle_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems have no locks; then there is none.
  if (handle_ >= 0 && ::flock(handle_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(handle_);
    throw Error(ErrorCode::file_access, "another run of kdyn works on this folder", folder_,
                "wait for its end, or give --out another folder");
  }
  // What killed runs left. They are gone: the lock is ours.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ec))
    if (entry.path().filename().string().starts_with(hidden_prefix)) fs::remove_all(entry.path(), ec);
  hidden_ = (fs::path(folder_) / fmt::format("{}{}", hidden_prefix, ::getpid())).string();
  try {
    fs::remove(stage("room for a line"), ec);
  } catch (const Error&) {
    close();
    throw;
  }
}

ResultFolder::~ResultFolder() { close(); }

void ResultFolder::close() noexcept {
  try {
    std::error_code ec;
    fs::remove_all(hidden_, ec);
  } catch (const std::bad_alloc&) {  // the next run removes it
  }
  for (auto part = made_.rbegin(); part != made_.rend(); ++part)
    if (::rmdir(part->c_str()) != 0) break;  // it is in use
  if (handle_ >= 0) ::close(std::exchange(handle_, -1));
}

bool ResultFolder::has_published() { return published; }

bool ResultFolder::has_earlier_result() const {
  std::error_code ec;
  return fs::exists(fs::path(folder_) / "result.json", ec);
}

std::string ResultFolder::free_path() {
  std::error_code ec;
  fs::create_directories(hidden_, ec);
  if (ec) cannot(folder_, ec.message(), "check the permissions of the folder, or choose another --out folder");
  return fmt::format("{}/{}", hidden_, count_.fetch_add(1));
}

std::string ResultFolder::room(const std::string& name) {
  return grown_.emplace_back(inside(folder_, name), free_path()).second;
}

void ResultFolder::settle(const std::string& path) const {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int trouble = file < 0 ? errno : 0;
  if (trouble == 0 && ::fsync(file) != 0 && errno != EINVAL && errno != EROFS && errno != ENOSYS) trouble = errno;
  if (file >= 0) ::close(file);
  if (trouble != 0) cannot(folder_, std::strerror(trouble), "is the disk full? Check the folder and its permissions");
}

std::string ResultFolder::stage(const std::string& content) {
  const std::string path = free_path();
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int trouble = file < 0 ? errno : 0;
  for (std::size_t done = 0; trouble == 0 && done < content.size();) {
    const ssize_t n = ::write(file, content.data() + done, content.size() - done);
    if (n >= 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      trouble = errno;
  }
  // Not all file systems know fsync; a full disk may be met here first.
  if (trouble == 0 && ::fsync(file) != 0 && errno != EINVAL && errno != EROFS && errno != ENOSYS) trouble = errno;
  if (file >= 0 && ::close(file) != 0 && trouble == 0) trouble = errno;
  if (trouble != 0) {
    ::unlink(path.c_str());
    cannot(folder_, std::strerror(trouble),
           trouble == ENOSPC || trouble == EDQUOT ? "the disk is full: make room, or choose another --out folder"
                                                  : "check the folder and its permissions");
  }
  return path;
}

void ResultFolder::publish(const std::string& staged, const std::string& path) const {
  std::error_code ec;
  fs::create_directories(fs::path(path).parent_path(), ec);
  if (!ec) fs::rename(staged, path, ec);
  if (ec == std::errc::cross_device_link) {  // early Landlock lets no file change its folder
    const std::string beside = fmt::format("{}.{}.tmp", path, ::getpid());
    ec.clear();
    fs::copy_file(staged, beside, fs::copy_options::overwrite_existing, ec);
    if (!ec) fs::rename(beside, path, ec);
  }
  if (ec) cannot(path, ec.message(), "check the folder and its permissions");
}

Json ResultFolder::finished_part(const std::string& part, bool with_report) const {
  const std::string place = inside(folder_, "parts/" + part);
  std::error_code ec;
  if (!fs::exists(place + "/result.json", ec) || (with_report && !fs::exists(place + "/report.html", ec)))
    return nullptr;
  try {
    return read_json(place + "/result.json");
  } catch (const Error&) {
    return nullptr;  // whatever it is, it is no result
  }
}

void ResultFolder::keep_part(const std::string& part) {
  const std::scoped_lock lock(parts_lock_);
  parts_.insert(part);
}

void ResultFolder::write_part(const std::string& part, const Outcome& outcome, bool with_report) {
  const std::string place = "parts/" + part + "/";
  std::vector<std::pair<std::string, std::string>> pieces;  // staged, path
  for (const OutputFile& file : outcome.files)
    pieces.emplace_back(stage(file.content), inside(folder_, place + file.name));
  if (with_report && outcome.document)
    pieces.emplace_back(stage(report::to_html(*outcome.document)), inside(folder_, place + "report.html"));
  pieces.emplace_back(stage(dump_json(outcome.result)), inside(folder_, place + "result.json"));
  {
    const std::scoped_lock lock(parts_lock_);
    parts_.insert(part);
    // The summary of an earlier run does not describe parts of this one.
    std::error_code ec;
    for (const char* name : {"result.json", "report.html", "document.json"}) fs::remove(fs::path(folder_) / name, ec);
    fs::remove(pieces.back().second, ec);
    fs::remove(inside(folder_, place + "report.html"), ec);
  }
  for (const auto& [staged, path] : pieces) publish(staged, path);
}

void ResultFolder::drop_other_parts() const {
  if (parts_.empty()) return;
  const fs::path all = fs::path(folder_) / "parts";
  std::vector<fs::path> old;
  std::error_code ec;
  for (const auto& entry : fs::recursive_directory_iterator(all, ec))
    if (entry.path().filename() == "result.json") {
      const fs::path place = entry.path().parent_path();
      if (!parts_.contains(fs::relative(place, all, ec).generic_string())) old.push_back(place);
    }
  for (const fs::path& place : old) fs::remove_all(place, ec);
}

std::vector<std::string> ResultFolder::write(const Outcome& outcome, bool with_report) {
  struct Piece {
    std::string path, staged;
  };
  // Names may come out of files: all of them are looked at before anything is written.
  std::vector<Piece> others, results;
  for (const OutputFile& file : outcome.files)
    (is_result(file.name) ? results : others).push_back({inside(folder_, file.name), {}});
  auto other = others.begin(), result = results.begin();
  for (const OutputFile& file : outcome.files)
    (is_result(file.name) ? result++ : other++)->staged = stage(file.content);
  for (const auto& [path, grown] : grown_) {
    settle(grown);
    others.push_back({path, grown});
  }
  grown_.clear();
  results.push_back({inside(folder_, "result.json"), stage(dump_json(outcome.result))});

  // From here on nothing is written, only renamed.
  const std::string report = inside(folder_, "report.html");
  std::error_code ec;
  for (auto old = results.rbegin(); old != results.rend(); ++old) fs::remove(old->path, ec);
  const std::string document = inside(folder_, "document.json");
  fs::remove(report, ec);
  fs::remove(document, ec);
  std::vector<std::string> paths;
  for (const auto* pieces : {&others, &results})
    for (const Piece& piece : *pieces) {
      if (&piece == &results.back()) sync_folder(folder_);
      publish(piece.staged, piece.path);
      if (&piece == &results.back()) published = true;
      paths.push_back(piece.path);
    }
  drop_other_parts();
  sync_folder(folder_);
  if (with_report && outcome.document) try {
      publish(stage(report::to_json_text(*outcome.document)), document);
      publish(stage(report::to_html(*outcome.document)), report);
      paths.insert(paths.end() - 1, report);
      sync_folder(folder_);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("the result is written, its report is not: {}", error.message()), report,
                  error.remedy() + "; --no-report does without");
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::file_access, "the result is written, its report is not: there is not enough memory",
                  report, "close other programs; --no-report does without");
    }
  return paths;
}

}  // namespace kdyn::app
