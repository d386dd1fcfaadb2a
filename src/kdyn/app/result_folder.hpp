// SPDX-License-Identifier: Apache-2.0
// The folder of a result (--out) as one transaction: what lies in it belongs to one run.
//
// Opened before the work: the folder is made, tried and locked, so that a run finds out at its start, not at its end,
// that it cannot write, and two runs do not mix. `write` puts everything into a hidden folder inside it, on the disk
// for good (fsync), takes the old result.json away, and then gives the new files their names, result.json last:
// whenever a run is killed or the disk is full, there is either no result.json or one whose files are all of its own
// run. The report comes after it: a report that does not fit costs no result. A folder that was made for a run without
// result disappears again.
//
// Parts of a batch are transactions of their own below parts/, result.json last: they are written while the run goes
// on, and the next run with the same job finds them again. What lies there of other jobs goes when the run is complete.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/file_room.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/part_sink.hpp"

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
  // Whether this process has put a result.json in place.
  static bool has_published();
  // What this run made and did not publish is gone; nothing may be written any more.
  void abandon() noexcept { close(); }
  const std::string& path() const { return folder_; }

  // As a PartSink has them; `with_report`: a part without its report counts as not finished.
  Json finished_part(const std::string& part, bool with_report) const;
  void keep_part(const std::string& part);
  void write_part(const std::string& part, const Outcome& outcome, bool with_report);

  // A path in the hidden folder for a file that grows during the work (app/file_room.hpp); `write` publishes it.
  std::string room(const std::string& name);

 private:
  void drop_other_parts() const;
  void close() noexcept;
  // The content on the disk for good, under a number in the hidden folder.
  std::string stage(const std::string& content);
  std::string free_path();
  // What has grown there, on the disk for good.
  void settle(const std::string& path) const;
  void publish(const std::string& staged, const std::string& path) const;

  std::string folder_, hidden_;
  std::vector<std::string> made_;  // folders that were not there before, outermost first
  int handle_ = -1;                // of the folder; carries the lock
  std::atomic<unsigned> count_ = 0;
  std::mutex parts_lock_;
  std::set<std::string> parts_;                             // of this run
  std::vector<std::pair<std::string, std::string>> grown_;  // name, path
};

// A result folder as a sink of parts and as room for growing files; for front ends to inherit beside Progress. No
// folder: it takes none.
class FolderSink : public PartSink, public FileRoom {
 public:
  FolderSink(ResultFolder* folder, bool with_report) : folder_(folder), with_report_(with_report) {}
  bool takes_parts() const override { return folder_ != nullptr; }
  std::string folder() const override { return folder_->path(); }
  bool has_room() const override { return folder_ != nullptr; }
  std::string room(const std::string& name) override { return folder_->room(name); }
  bool wants_report() const override { return with_report_; }
  Json finished(const std::string& part) override { return folder_->finished_part(part, with_report_); }
  void keep(const std::string& part) override { folder_->keep_part(part); }
  void write(const std::string& part, const Outcome& outcome) override {
    folder_->write_part(part, outcome, with_report_);
  }

 private:
  ResultFolder* folder_;
  bool with_report_;
};

}  // namespace kdyn::app
