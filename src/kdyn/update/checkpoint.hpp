// SPDX-License-Identifier: Apache-2.0
// Finished tasks of a long job, kept in a folder: a job that was killed goes on where it was and loses only what was
// running.
//
// One small file per task, written to a temporary name and renamed. `key` (a hash of all inputs and options) guards
// against taking the results of another job; files of another key are computed anew. Numbers are stored with all their
// digits, so a resumed job gives the same result.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kdyn::update {

struct Checkpoint {
  std::string folder;  // empty: nothing is kept
  std::string key;

  // The row of task `index` of `kind`, when it is there and of this job.
  std::optional<std::vector<double>> find(const std::string& kind, int index) const;
  // A disk that takes nothing now ends no job of hours: the row is not kept then.
  void store(const std::string& kind, int index, const std::vector<double>& row) const;
  // Before the work: throws Error(file_access) when nothing can be kept there.
  void try_folder() const;
};

}  // namespace kdyn::update
