// SPDX-License-Identifier: Apache-2.0
// One run of a study: the operations of the chain in this process, on files that are changed in memory (base/file_view.hpp),
// and what is taken from their results.
//
// Steps that nothing reaches that changes run once. A run gives the same numbers whoever makes it, when and beside what.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kdyn/app/study/study_plan.hpp"
#include "kdyn/base/file_view.hpp"

namespace kdyn::app {

struct RunOutcome {
  bool stopped = false;  // by the user: it did not take place
  bool done = false;
  std::string reason;  // of a run that failed
  std::vector<double> responses;
};

class StudyChain {
 public:
  // Reads and checks what can be checked before the first run: operations, options, places, responses.
  StudyChain(const StudyJob& job, const StudyPlan& plan);
  ~StudyChain();

  RunOutcome run(std::size_t index, const Progress& outer) const;
  // The whole run below `folder`: results, reports and files of every step, and the files as they were changed.
  std::vector<OutputFile> whole_run(std::size_t index, const std::string& folder, const Progress& outer) const;
  // Files on the disk that runs have read so far.
  std::vector<Source> files_read() const;

 private:
  struct Stage;
  struct Work;
  struct ReadFiles;
  struct Change {
    std::string place;
    PlaceUse use;
    const Json* value;  // else of the parameter
    double number;
  };
  void read_stages(const StudyJob& job);
  void read_responses(const StudyJob& job);
  std::size_t stage_of(const std::string& path, std::string& rest, const std::string& where) const;
  void change(Work& work, std::size_t stage) const;
  void apply(Work& work, std::size_t stage, const std::string& rest, const Change& change,
             const std::string& where) const;
  std::optional<RunOutcome> run_stage(Work& work, std::size_t stage) const;
  void run_stages(Work& work, RunOutcome& out) const;
  std::vector<double> responses_of(const Work& work) const;
  std::shared_ptr<const Json> document(const std::string& path) const;

  const StudyPlan& plan_;
  std::vector<StudyResponse> asked_;
  std::vector<std::unique_ptr<Stage>> stages_;
  struct Taken {
    std::size_t stage;
    std::string path;  // in the result, or the name of a file
  };
  std::vector<Taken> taken_;
  std::unique_ptr<ReadFiles> read_;
};

}  // namespace kdyn::app
