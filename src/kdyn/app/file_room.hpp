// SPDX-License-Identifier: Apache-2.0
// Room for a file that grows while an operation works, such as the signals of a long run: it never stands in memory.
//
// A front end that has a folder for the result offers room in it beside its progress, as it offers to take parts
// (app/part_sink.hpp). The file gets its name with the rest of the result; a run that is killed leaves none. Without a
// folder it is written for a while where temporary files are, and leaves as content of the outcome.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"

namespace kdyn::app {

class FileRoom {
 public:
  virtual ~FileRoom() = default;
  virtual bool has_room() const = 0;
  // Where the file of this name grows, on the disk of the result, which takes it over as it is in the end.
  virtual std::string room(const std::string& name) = 0;
};

class GrowingFile {
 public:
  GrowingFile(std::string name, Progress& progress);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  const std::string& path() const { return path_; }
  // When everything is written: a file of the outcome where no folder takes it over.
  void finish(std::vector<OutputFile>& files);

 private:
  std::string name_, path_;
  bool kept_ = false;  // by a folder
};

}  // namespace kdyn::app
