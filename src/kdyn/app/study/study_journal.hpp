// SPDX-License-Identifier: Apache-2.0
// What finished runs gave, appended to a file run by run: a study that was killed goes on where it was.
//
// Each entry is written in one piece with its length and a check sum; a torn last one is cut off. The first entry says of
// which study the file is, others which files its runs have read: when one of them has changed, nothing is taken over.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::app {

struct JournalEntry {
  std::int64_t run = -1;  // -1: no run
  bool done = false;
  std::string reason;
  std::vector<double> responses;
  std::string file, sha256;  // a file that was read; without a name: the study itself
};
const FieldTable& fields_of(const JournalEntry*);

std::string packed(const std::vector<JournalEntry>& entries);
// The entries of the valid beginning, whose length goes to `length`.
std::vector<JournalEntry> unpacked(const std::string& bytes, std::size_t* length = nullptr);

// Runs of this study in the file; empty when it is of another one, or a file that was read has changed (`why`).
std::vector<JournalEntry> finished_runs(const std::string& path, const std::string& study, std::string& why);

class Journal {
 public:
  // Goes on behind what is valid there; of another study: begins anew. No path: keeps nothing. Throws Error(file_access).
  Journal(const std::string& path, const std::string& study);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  void add(const JournalEntry& entry);  // by any thread

 private:
  void put(const std::string& bytes);
  std::string path_;
  int handle_ = -1;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point synced_{};
};

}  // namespace kdyn::app
