// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/job_record.hpp"

#include <algorithm>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/field_known.hpp"

namespace kdyn::app {
namespace {

constexpr double most_pid = (1u << 30) - 1;

// What everybody may know of a record.
void add_open_fields(FieldTable& t) {
  using R = JobRecord;
  t.add(&R::operation, "operation", "-", "Operation");
  t.add(&R::options, "options", "-", "Its options as they were given");
  t.add(&R::title, "title", "-", "Title");
  t.add(&R::created, "created", "-", "When it was submitted, UTC");
  t.add(&R::state, "state", "-", "State")
      .one_of({"queued", "running", "done", "not_complete", "failed", "stopped", "interrupted", "held", "damaged"});
  t.add(&R::attempts, "attempts", "-", "How often it was started").at_least(0.0);
  t.add(&R::started, "started", "-", "When it was started last").unless_empty();
  t.add(&R::status, "status", "-", "Status of its result").unless_empty();
  t.add(&R::reason, "reason", "-", "Why").unless_empty();
  t.add(&R::finished, "finished", "-", "When it ended").unless_empty();
  t.add(&R::error, "error", "-", "What went wrong").unless_null();
}

const FieldTable& open_fields() {
  static const FieldTable table = FieldTable::of<JobRecord>("open part of a job record", add_open_fields);
  return table;
}

}  // namespace

const FieldTable& fields_of(const JobError*) {
  using E = JobError;
  static const FieldTable table = FieldTable::of<E>("error of a job", [](FieldTable& t) {
    t.add(&E::code, "code", "-", "Exit code").unless_null();
    t.add(&E::where, "where", "-", "File, file:line or field");
    t.add(&E::message, "message", "-", "What went wrong");
    t.add(&E::remedy, "remedy", "-", "What to do");
  });
  return table;
}

JobError job_error(const Error& error) {
  return {static_cast<int>(error.code()), error.where(), error.message(), error.remedy()};
}

const FieldTable& fields_of(const JobRecord*) {
  using R = JobRecord;
  static const FieldTable table = FieldTable::of<R>("job record", [](FieldTable& t) {
    add_open_fields(t);
    t.add(&R::pid, "pid", "-", "Process that runs it").range(0.0, most_pid).unless_null();
    t.add(&R::pid_start, "pid_start", "-", "When that process began").at_least(0.0).unless_null();
    t.add(&R::mark, "mark", "-", "Mark of the user whose server wrote it").unless_empty();
  });
  return table;
}

JobRecord job_record(const Json& in) {
  const auto refuse = [](const char* field, const char* what) {
    throw_bad_input(field, what, "delete the job, or mend its job.json by hand");
  };
  if (!in.is_object()) refuse("job.json", "is no object");
  JobRecord out;
  out.state = JobState::damaged;
  from_known_fields(out, in, "");
  if (find_operation(out.operation) == nullptr) refuse("operation", "names no operation of this version of kdyn");
  if (out.state == JobState::held || out.state == JobState::damaged) refuse("state", "is no state of a job");
  if (!out.options.is_object()) refuse("options", "is no object");
  return out;
}

const FieldTable& fields_of(const JobProgress*) {
  using P = JobProgress;
  static const FieldTable table = FieldTable::of<P>("progress of a job", [](FieldTable& t) {
    t.add(&P::fraction, "fraction", "-", "Part that is done; below 0: not known");
    t.add(&P::what, "what", "-", "What it does now");
  });
  return table;
}

void LiveSearch::add(std::string_view search, int step, double objective, std::span<const double> now) {
  constexpr std::size_t most = 5000;  // steps that are kept of one search
  auto one = std::find_if(searches.begin(), searches.end(), [&](const One& s) { return s.name == search; });
  if (one == searches.end()) one = searches.insert(searches.end(), One{std::string(search), {}});
  if (step == 0) one->objective.clear(), ++begun;
  if (one->objective.size() < most) one->objective.push_back(objective);
  if (!now.empty()) values.assign(now.begin(), now.end());
}

const FieldTable& fields_of(const LiveSearch::One*) {
  using O = LiveSearch::One;
  static const FieldTable table = FieldTable::results<O>("search", [](FieldTable& t) {
    t.add(&O::name, "name", "-", "Which of several at the same time");
    t.add(&O::objective, "objective", "-", "Objective of each step so far");
  });
  return table;
}

const FieldTable& fields_of(const LiveSearch*) {
  using L = LiveSearch;
  static const FieldTable table = FieldTable::results<L>("searches so far", [](FieldTable& t) {
    t.add(&L::searches, "searches", "-", "Searches that run now, or ran last");
    t.add(&L::begun, "begun", "-", "Searches that were begun");
    t.add(&L::names, "names", "-", "What the values are");
    t.add(&L::units, "units", "-", "Their units");
    t.add(&L::values, "values", "as units say", "Values of the latest step");
  });
  return table;
}

const FieldTable& fields_of(const ResultStatus*) {
  using S = ResultStatus;
  static const FieldTable table = FieldTable::of<S>("status of a result", [](FieldTable& t) {
    t.add(&S::status, "status", "-", "Status");
    t.add(&S::reason, "reason", "-", "Why");
  });
  return table;
}

const FieldTable& fields_of(const ShownJob*) {
  using J = ShownJob;
  static const FieldTable table = FieldTable::of<J>("job", [](FieldTable& t) {
    t.add(&J::id, "id", "-", "Name of its folder");
    t.include(&J::record, open_fields());
    t.add(&J::folder, "folder", "-", "Its folder in the project");
    t.include(&J::progress, field_table<JobProgress>());
    t.add(&J::has_report, "has_report", "-", "Whether there is a report").unless_null();
    t.add(&J::report, "report", "-", "Address of the report").unless_empty();
    t.add(&J::has_result, "has_result", "-", "Whether there is a result").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const JobChanges*) {
  using C = JobChanges;
  static const FieldTable table = FieldTable::results<C>("changes of jobs", [](FieldTable& t) {
    t.add(&C::revision, "revision", "-", "Ask for changes after this one next time");
    t.add(&C::jobs, "jobs", "-", "Jobs that changed");
    t.add(&C::removed, "removed", "-", "Jobs that are gone");
  });
  return table;
}

}  // namespace kdyn::app
