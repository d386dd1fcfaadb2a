// SPDX-License-Identifier: Apache-2.0
// What is written about a job: job.json, progress.json, error.json, and what front ends are told of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::app {

enum class JobState { queued, running, done, not_complete, failed, stopped, interrupted, held, damaged };

struct JobError {
  std::optional<int> code{};
  std::string where{}, message{}, remedy{};
};
const FieldTable& fields_of(const JobError*);
JobError job_error(const Error& error);

// job.json
struct JobRecord {
  std::string operation;
  Json options = Json::object();
  std::string title, created;
  JobState state = JobState::queued;
  std::int64_t attempts = 1;
  std::optional<std::int64_t> pid, pid_start;
  std::string started, finished, status, reason;
  std::optional<JobError> error;
  std::string mark;  // own_mark.hpp

  bool is_over() const { return state != JobState::queued && state != JobState::running; }
};
const FieldTable& fields_of(const JobRecord*);

// As an earlier server wrote it, or as anybody did: types, bounds and names are checked here, so that nothing later
// meets an odd one. Throws Error(bad_input).
JobRecord job_record(const Json& in);

// progress.json
struct JobProgress {
  double fraction = -1.0;
  std::string what;
};
const FieldTable& fields_of(const JobProgress*);

// live.json: what searches have come to so far.
struct LiveSearch {
  struct One {
    std::string name;
    std::vector<double> objective;
  };
  std::vector<One> searches;  // those that run at the same time have names; of each the latest
  int begun = 0;              // searches that were begun, the present ones among them
  std::vector<std::string> names, units;
  std::vector<double> values;  // of the latest step, SI

  void add(std::string_view search, int step, double objective, std::span<const double> now);
};
const FieldTable& fields_of(const LiveSearch::One*);
const FieldTable& fields_of(const LiveSearch*);

// status and reason of a result.json.
struct ResultStatus {
  std::string status = "done", reason;
};
const FieldTable& fields_of(const ResultStatus*);

// A job as front ends are told of it.
struct ShownJob {
  std::string id;
  JobRecord record;
  std::string folder;
  JobProgress progress;
  std::optional<bool> has_report{};
  std::string report{};
  std::optional<bool> has_result{};
};
const FieldTable& fields_of(const ShownJob*);

struct JobChanges {
  std::uint64_t revision = 0;
  std::vector<ShownJob> jobs;
  std::vector<std::string> removed;
};
const FieldTable& fields_of(const JobChanges*);

}  // namespace kdyn::app
