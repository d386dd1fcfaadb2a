// SPDX-License-Identifier: Apache-2.0
// The folder of a result (--out) as one transaction: what lies in it belongs to one run.
//
// Opened before the work: the folder is made, tried and locked, so that a run finds out at its start, not at its end,
// that it cannot write, and two runs do not mix. `write` puts everything into a hidden folder inside it, on the disk
// for good (fsync), takes the old result.json away, and then gives the new files their names, result.json last:
// whenever a run is killed or the disk is full, there is either no result.json or one whose files are all of its own
// run. The report comes after it: a report that does not fit costs no result. A folder that was made for a run without
// result disappears again.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"

namespace kdyn::app {

class ResultFolder {
 public:
  // Throws Error(file_access) when it cannot be written, or another run works on it.
  explicit ResultFolder(std::string folder);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  // The paths. A report that could not be written throws after the rest is in place.
  std::vector<std::string> write(const Outcome& outcome, bool with_report);
  bool has_earlier_result() const;

 private:
  void close();
  // The content on the disk for good, under a number in the hidden folder.
  std::string stage(const std::string& content);
  void publish(const std::string& staged, const std::string& path) const;

  std::string folder_, hidden_;
  std::vector<std::string> made_;  // folders that were not there before, outermost first
  int handle_ = -1;                // of the folder; carries the lock
  unsigned count_ = 0;
};

}  // namespace kdyn::app
