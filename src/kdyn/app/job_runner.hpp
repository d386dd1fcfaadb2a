// SPDX-License-Identifier: Apache-2.0
// Jobs of a project: queued, run as processes of their own, watched, stopped, and found again after a restart.
//
// A job is a folder (job_folder.hpp). Processes outlive a server that is killed; the next server adopts them. A job
// whose process is gone without result runs again, once; after that it is reported as interrupted, so that a job that
// brings the machine down does not do it for ever. States: queued, running, done, not_complete (not converged or
// stopped, with result), failed, stopped (before there was a result), interrupted, held: it waited or ran when this
// user's servers had not written it so (own_mark.hpp); it starts when the user says so, never by itself. damaged: its
// job.json cannot be used; it is shown so that it can be deleted. Whatever goes wrong with one job (a full disk, no
// free file), the runner goes on, tells it on the terminal and tries again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kdyn/app/job_record.hpp"
#include "kdyn/app/own_mark.hpp"
#include "kdyn/app/project.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::app {

struct Operation;

struct JobRunnerOptions {
  std::vector<std::string> program;  // started as `program... jobs/ID` in the project folder
  std::size_t running_at_once = 2;
  std::size_t waiting_at_most = 500;
  double seconds_at_most = 6 * 3600.0;  // of one job while the machine is awake; then it is asked to stop
  double seconds_to_stop = 10.0;        // between asking and killing
  OwnMark mark = {};                    // jobs that do not carry it are held
  bool own_thread = true;               // false: its owner calls step, where there are no threads
};

class JobRunner {
 public:
  JobRunner(Project& project, JobRunnerOptions options);
  // Asks running processes to end; their jobs are queued again for the next server.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Checks operation, field names and that no text leads outside. Returns the new job as `one` does: ShownJob.
  Json submit(const std::string& operation, const Json& options, const std::string& title);
  Json list() const;  // newest first
  Json one(const std::string& id) const;
  void cancel(const std::string& id);
  void allow(const std::string& id);  // a held job may start
  void rename(const std::string& id, const std::string& title);
  Json again(const std::string& id);  // the same operation and options as a new job
  void remove(const std::string& id);
  std::string folder(const std::string& id) const;  // relative; throws Error(file_access) for an unknown id

  // Jobs that changed after a revision; waits for one up to `seconds`: JobChanges.
  Json changes(std::uint64_t since, double seconds) const;
  std::uint64_t revision() const;

  // Looks at what runs and starts what may run. A runner with a thread does it by itself.
  void step();

 private:
  struct Job {
    JobRecord record;  // job.json
    JobProgress progress;
    std::uint64_t revision = 0;
    std::int64_t progress_changed = 0;
    bool is_child = false;
    bool unsaved = false;                 // job.json is older than this; saved as soon as the disk takes it
    bool over_limit = false;              // asked to stop because of its time
    std::optional<double> asked_to_stop;  // seconds of the steady clock
    std::optional<double> watched_since;  // seconds of the steady clock
  };

  // Field names, what is needed, and that no text leads out of the project. Throws Error(bad_input).
  void check(const Operation& operation, const Json& options) const;
  ShownJob shown(const std::string& id, const Job& job) const;
  void save(const std::string& id, Job& job);           // throws when the disk does not take it
  void keep(const std::string& id, Job& job) noexcept;  // then does it later
  void log(const std::string& id, const char* what) noexcept;
  void touch(Job& job);
  void find_earlier_jobs();
  void watch();
  std::optional<double> look_at_all();  // returns the seconds until it should be done again; none: until a call
  void start(const std::string& id, Job& job);
  void look_at(const std::string& id, Job& job);
  void conclude(const std::string& id, Job& job, const std::string& ending);
  bool has(const std::string& id, const char* file) const;

  Project& project_;
  JobRunnerOptions options_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::condition_variable wake_;
  std::map<std::string, Job> jobs_;
  std::map<std::string, std::uint64_t> removed_;
  std::uint64_t revision_;  // starts at the time in ms: a page that was open before a restart does not miss a change
  std::uint64_t last_number_ = 0;
  bool ending_ = false;
  std::optional<double> last_log_;
  std::thread watcher_;
};

}  // namespace kdyn::app
