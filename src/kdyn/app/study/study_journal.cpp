// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/study/study_journal.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::app {
namespace {

// Length and check sum stand before each entry.
constexpr std::size_t head = 2 * sizeof(std::uint64_t);

std::uint64_t check_sum(std::string_view bytes) {  // FNV-1a
  std::uint64_t sum = 14695981039346656037U;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return sum;
}

std::string piece_of(const JournalEntry& entry) {
  const std::string body = archive_bytes(field_table<JournalEntry>(), &entry);
  const std::uint64_t numbers[2] = {body.size(), check_sum(body)};
  std::string out(head, '\0');
  std::memcpy(out.data(), numbers, head);
  return out + body;
}

}  // namespace

const FieldTable& fields_of(const JournalEntry*) {
  using E = JournalEntry;
  static const FieldTable table = FieldTable::of<E>("journal entry", [](FieldTable& t) {
    t.add(&E::run, "run", "-", "Run, counted from 0");
    t.add(&E::done, "done", "-", "Whether it came to its end");
    t.add(&E::reason, "reason", "-", "Why not");
    t.add(&E::responses, "responses", "as each says", "Responses");
    t.add(&E::file, "file", "-", "File that was read");
    t.add(&E::sha256, "sha256", "-", "Its hash, or that of the study");
  });
  return table;
}

std::string packed(const std::vector<JournalEntry>& entries) {
  std::string out;
  for (const JournalEntry& e : entries) out += piece_of(e);
  return out;
}

std::vector<JournalEntry> unpacked(const std::string& bytes, std::size_t* length) {
  std::vector<JournalEntry> out;
  std::size_t at = 0;
  while (at + head <= bytes.size()) {
    std::uint64_t numbers[2];
    std::memcpy(numbers, bytes.data() + at, head);
    if (numbers[0] > bytes.size() - at - head) break;
    const std::string body = bytes.substr(at + head, numbers[0]);
    if (check_sum(body) != numbers[1]) break;
    try {
      from_archive(field_table<JournalEntry>(), &out.emplace_back(), body);
    } catch (const std::exception&) {
      out.pop_back();
      break;
    }
    at += head + body.size();
  }
  if (length != nullptr) *length = at;
  return out;
}

std::vector<JournalEntry> finished_runs(const std::string& path, const std::string& study, std::string& why) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return {};
  std::vector<JournalEntry> entries = unpacked(read_text(path)), out;
  if (entries.empty()) return {};
  if (entries.front().sha256 != study) {
    why = "they are of another job, or of another version of kdyn";
    return {};
  }
  for (JournalEntry& e : entries) {
    if (e.run >= 0) out.push_back(std::move(e));
    if (e.file.empty()) continue;
    try {
      if (sha256(read_text(e.file)) == e.sha256) continue;
    } catch (const Error&) {
    }
    why = fmt::format("{} has changed since", e.file);
    return {};
  }
  return out;
}

Journal::Journal(const std::string& path, const std::string& study) : path_(path) {
  if (path_.empty()) return;
  std::size_t valid = 0;
  std::error_code ec;
  if (std::filesystem::exists(path_, ec)) {
    const std::vector<JournalEntry> there = unpacked(read_text(path_), &valid);
    if (there.empty() || there.front().sha256 != study) valid = 0;
  }
  handle_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (handle_ < 0 || ::ftruncate(handle_, static_cast<off_t>(valid)) != 0) {
    const std::string reason = std::strerror(errno);
    if (handle_ >= 0) ::close(handle_);
    throw Error(ErrorCode::file_access, "cannot write: " + reason, path_, "check the folder and its permissions");
  }
  if (valid == 0) {
    JournalEntry first;
    first.sha256 = study;
    add(first);
  }
}

Journal::~Journal() {
  if (handle_ >= 0) ::close(handle_);
}

void Journal::add(const JournalEntry& entry) {
  if (handle_ < 0) return;
  const std::string bytes = piece_of(entry);
  const std::scoped_lock lock(mutex_);
  put(bytes);
  // A kill loses nothing that was written; a machine without power at most a second.
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < std::chrono::seconds(1)) return;
  synced_ = now;
  ::fsync(handle_);
}

void Journal::put(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(handle_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR)
      throw Error(ErrorCode::file_access, fmt::format("cannot write: {}", std::strerror(errno)), path_,
                  "make room on the disk; the study goes on where it was when it is started again");
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

}  // namespace kdyn::app
