// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/job_runner.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/app/internal/process.hpp"
#include "kdyn/app/job_folder.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "fit elastomer" -> "fit-elastomer"
std::string slug(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return text;
}

internal::ProcessId process_of(const JobRecord& record) {
  return {static_cast<int>(record.pid.value_or(0)), static_cast<std::uint64_t>(record.pid_start.value_or(0))};
}

void check_options(const Operation& operation, const Json& options) {
  if (!options.is_object()) throw_bad_input("options", "must be an object of fields", R"(write {"field": value, ...})");
  const FieldTable& table = operation.options();
  for (const auto& [name, value] : options.items())
    if (table.find(name) == nullptr)
      throw_bad_input(name, fmt::format("unknown field {} of {}", in_quotes(name), table.subject()),
                      suggest(name, table.names()));
  for (const Field& field : table.fields())
    if (field.required && !options.contains(field.name)) throw_bad_input(field.name, "this is needed", field.meaning);
}

}  // namespace

JobRunner::JobRunner(Project& project, JobRunnerOptions options)
    : project_(project),
      options_(std::move(options)),
      revision_(static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count())) {
  find_earlier_jobs();
  if (options_.own_thread) watcher_ = std::thread([this] { watch(); });
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  // What runs now runs again at the next start, and has not failed.
  for (auto& [id, job] : jobs_) {
    if (job.record.state != JobState::running) continue;
    const internal::ProcessId process = process_of(job.record);
    internal::end_process(process, options_.seconds_to_stop);
    try {
      look_at(id, job);
    } catch (const std::exception& error) {
      log(id, error.what());
    }
    if (job.record.state == JobState::done) continue;
    std::error_code ec;
    fs::remove(project_.root() / "jobs" / id / "result.json", ec);
    job.record.state = JobState::queued;
    job.record.attempts = std::max<std::int64_t>(0, job.record.attempts - 1);
    keep(id, job);
  }
}

void JobRunner::find_earlier_jobs() {
  std::error_code ec;
  for (const fs::directory_entry& entry : fs::directory_iterator(project_.root() / "jobs", ec)) {
    const std::string id = entry.path().filename().string();
    if (entry.is_symlink(ec) || !entry.is_directory(ec)) continue;
    last_number_ = std::max(last_number_, static_cast<std::uint64_t>(std::strtoull(id.c_str(), nullptr, 10)));
    if (!fs::exists(entry.path() / "job.json", ec))
      continue;  // not a job of ours, or one that was never submitted completely
    Job job;
    bool own = false;
    try {
      const Json record = read_json((entry.path() / "job.json").string());
      job.record = job_record(record);
      own = options_.mark.is_on(id, record);
    } catch (const Error& error) {
      job.record = {};
      job.record.title = id;
      job.record.created = now_text();
      job.record.state = JobState::damaged;
      job.record.error = job_error(Error(error.code(), "the record of this job cannot be used: " + error.message(),
                                         fmt::format("jobs/{}/job.json: {}", id, error.where()),
                                         "delete the job, or mend its job.json by hand"));
    }
    Job& kept = jobs_[id] = std::move(job);
    touch(kept);
    // The folder may come from anybody; so may the number of a process in it.
    if (!kept.record.is_over() && !own) kept.record.state = JobState::held;
    if (kept.record.state == JobState::running) look_at(id, kept);
  }
}

Json JobRunner::submit(const std::string& name, const Json& options, const std::string& title) {
  const Operation* operation = find_operation(name);
  if (operation == nullptr) {
    std::vector<std::string> known;
    for (const Operation& one : operations()) known.push_back(one.name);
    throw_bad_input("operation", fmt::format("unknown operation {}", in_quotes(name)), suggest(name, known));
  }
  check(*operation, options);
  const std::lock_guard lock(mutex_);
  const auto waiting = std::count_if(jobs_.begin(), jobs_.end(),
                                     [](const auto& entry) { return entry.second.record.state == JobState::queued; });
  if (static_cast<std::size_t>(waiting) >= options_.waiting_at_most)
    throw_bad_input("jobs", fmt::format("{} jobs are waiting already", waiting),
                    "wait until some are done, or cancel them");
  Job job;
  std::string id;
  std::error_code ec;
  do id = fmt::format("{:04}-{}", ++last_number_, slug(name));
  while (fs::exists(project_.root() / "jobs" / id, ec));
  job.record.operation = name;
  job.record.options = options;
  job.record.title = title;
  job.record.created = now_text();
  job.record.attempts = 0;
  try {
    save(id, job);
  } catch (const Error&) {
    fs::remove(project_.root() / "jobs" / id, ec);
    throw;
  }
  touch(job);
  const Json out = described_json(shown(id, jobs_[id] = std::move(job)));
  wake_.notify_all();
  return out;
}

void JobRunner::check(const Operation& operation, const Json& options) const {
  check_options(operation, options);
  project_.check_texts(options, "");
}

ShownJob JobRunner::shown(const std::string& id, const Job& job) const {
  const bool over = job.record.is_over();
  ShownJob out{id, job.record, "jobs/" + id, over ? JobProgress{1.0, ""} : job.progress};
  if (!over) return out;
  out.has_report = has(id, "report.html");
  // Beside the token, not below it.
  if (*out.has_report)
    out.report =
        fmt::format("{0}/jobs/{1}/report.html", project_.report_key(fmt::format("jobs/{}/report.html", id)), id);
  out.has_result = has(id, "result.json");
  return out;
}

Json JobRunner::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<ShownJob> all;
  for (auto it = jobs_.rbegin(); it != jobs_.rend(); ++it) all.push_back(shown(it->first, it->second));
  return described_json(all);
}

Json JobRunner::one(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  return described_json(shown(id, found->second));
}

std::string JobRunner::folder(const std::string& id) const {
  one(id);
  return "jobs/" + id;
}

void JobRunner::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  Job& job = found->second;
  if (job.record.state == JobState::queued) {
    job.record.state = JobState::stopped;
    job.record.finished = now_text();
    keep(id, job);
  } else if (job.record.state == JobState::running && !job.asked_to_stop) {
    job.asked_to_stop = steady_seconds();
    job.progress.what = "stopping";
    internal::ask_to_end(process_of(job.record));
  }
  touch(job);
}

void JobRunner::allow(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  Job& job = found->second;
  if (job.record.state != JobState::held)
    throw_bad_input("job", "it does not wait for your consent", "run it again instead");
  job.record.state = JobState::queued;
  job.record.attempts = 0;
  job.record.pid = job.record.pid_start = std::nullopt;
  job.record.error.reset();
  job.record.finished = job.record.status = job.record.reason = "";
  save(id, job);
  touch(job);
  wake_.notify_all();
}

void JobRunner::rename(const std::string& id, const std::string& title) {
  constexpr std::size_t longest = 300;
  if (title.size() > longest) throw_bad_input("title", "the name is too long", "use at most 300 letters");
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  Job& job = found->second;
  if (job.record.state == JobState::damaged || job.record.state == JobState::held)
    throw_bad_input("job", "it is not of this server", "start it first, or delete it");
  job.record.title = title;
  save(id, job);
  touch(job);
}

Json JobRunner::again(const std::string& id) {
  std::unique_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  const JobRecord record = found->second.record;
  lock.unlock();
  return submit(record.operation, record.options, record.title);
}

void JobRunner::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  if (!found->second.record.is_over()) throw_bad_input("job", "it is not over yet", "cancel it first");
  std::error_code ec;
  fs::remove_all(project_.root() / "jobs" / id, ec);
  jobs_.erase(found);
  removed_[id] = ++revision_;
  changed_.notify_all();
}

Json JobRunner::changes(std::uint64_t since, double seconds) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return revision_ > since || ending_; });
  JobChanges out{revision_, {}, {}};
  for (const auto& [id, job] : jobs_)
    if (job.revision > since) out.jobs.push_back(shown(id, job));
  for (const auto& [id, revision] : removed_)
    if (revision > since) out.removed.push_back(id);
  return described_json(out);
}

std::uint64_t JobRunner::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

void JobRunner::save(const std::string& id, Job& job) {
  job.record.mark.clear();
  Json record = described_json(job.record);
  options_.mark.put(id, record);
  write_text((project_.root() / "jobs" / id / "job.json").string(), dump_json(record));
}

void JobRunner::keep(const std::string& id, Job& job) noexcept {
  try {
    save(id, job);
    job.unsaved = false;
  } catch (const std::exception& error) {
    if (!job.unsaved) log(id, error.what());
    job.unsaved = true;
    wake_.notify_all();
  }
}

void JobRunner::touch(Job& job) {
  job.revision = ++revision_;
  changed_.notify_all();
}

bool JobRunner::has(const std::string& id, const char* file) const {
  std::error_code ec;
  return fs::exists(project_.root() / "jobs" / id / file, ec);
}

void JobRunner::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const std::optional<double> pause = look_at_all();
    if (pause)
      wake_.wait_for(lock, std::chrono::duration<double>(*pause));
    else  // nothing runs: sleep until somebody submits
      wake_.wait(lock);
  }
}

void JobRunner::step() {
  const std::lock_guard lock(mutex_);
  look_at_all();
}

std::optional<double> JobRunner::look_at_all() {
  std::size_t running = 0;
  bool busy = false;
  // Whatever one job meets (no disk, no memory, no free file), the others go on and it is looked at again.
  const auto guarded = [&](const std::string& id, auto&& work) {
    try {
      work();
    } catch (const std::exception& error) {
      log(id, error.what());
      busy = true;
    }
  };
  for (auto& [id, job] : jobs_) {
    if (job.unsaved) keep(id, job);
    busy = busy || job.unsaved;
    if (job.record.state != JobState::running) continue;
    guarded(id, [&, &id = id, &job = job] { look_at(id, job); });
    running += job.record.state == JobState::running;
  }
  for (auto& [id, job] : jobs_) {
    if (running >= options_.running_at_once) break;
    if (job.record.state != JobState::queued) continue;
    guarded(id, [&, &id = id, &job = job] { start(id, job); });
    running += job.record.state == JobState::running;
    busy = busy || job.record.state == JobState::queued;
  }
  if (running > 0) return 0.05;
  if (busy) return 1.0;
  return std::nullopt;
}

// The same trouble is told once a minute.
void JobRunner::log(const std::string& id, const char* what) noexcept {
  const double now = steady_seconds();
  if (last_log_ && now - *last_log_ < 60.0) return;
  last_log_ = now;
  std::fprintf(stderr, "kdyn serve: job %s: %s; trying again\n", id.c_str(), what);
}

void JobRunner::start(const std::string& id, Job& job) {
  const fs::path folder = project_.root() / "jobs" / id;
  std::error_code ec;
  for (const char* stale : {"progress.json", "live.json", "result.json", "error.json"}) fs::remove(folder / stale, ec);
  // Before the process: a disk that takes no record now lets the job wait.
  save(id, job);
  std::vector<std::string> words = options_.program;
  words.push_back("jobs/" + id);
  internal::ProcessId process;
  std::optional<Error> refusal;
  try {
    // Also those of an earlier server: the folder may have been changed by hand since, or may come from somebody else.
    check(*find_operation(job.record.operation), job.record.options);
    std::string reason;
    bool for_now = false;
    process = internal::start_process(words, project_.root().string(), (folder / "log.txt").string(), reason, for_now);
    if (process.pid == 0 && for_now) return log(id, reason.c_str());
    if (process.pid == 0)
      refusal.emplace(ErrorCode::internal, "the process could not be started: " + reason, id,
                      "see the terminal of kdyn serve");
  } catch (const Error& error) {
    refusal = error;
  }
  if (refusal) {
    job.record.error = job_error(*refusal);
    job.record.state = JobState::failed;
    job.record.finished = now_text();
  } else {
    job.is_child = true;
    job.watched_since = steady_seconds();
    job.record.state = JobState::running;
    job.record.pid = process.pid;
    job.record.pid_start = static_cast<std::int64_t>(process.started);
    job.record.started = now_text();
    ++job.record.attempts;
    job.record.error.reset();
  }
  job.progress = {-1.0, "starting"};
  job.progress_changed = 0;
  keep(id, job);
  touch(job);
}

void JobRunner::look_at(const std::string& id, Job& job) {
  const fs::path folder = project_.root() / "jobs" / id;
  const std::string progress = (folder / "progress.json").string();
  struct stat status {};
  if (::stat(progress.c_str(), &status) == 0) {
    const std::int64_t changed = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
    if (changed != job.progress_changed) {
      job.progress_changed = changed;
      try {
        JobProgress told;
        from_known_fields(told, read_json(progress), progress);
        job.progress.fraction = told.fraction;
        if (!job.asked_to_stop) job.progress.what = told.what;
        touch(job);
      } catch (const std::exception&) {  // the next one will be read
      }
    }
  }
  const internal::ProcessId process = process_of(job.record);
  std::string ending;
  if (!internal::has_ended(process, job.is_child, ending)) {
    // The steady clock stands still while the machine sleeps: a night in a bag is no running time. It is counted from
    // the start, or from when this server found the process.
    const double now = steady_seconds();
    if (!job.watched_since) job.watched_since = now;
    if (!job.asked_to_stop && now - *job.watched_since > options_.seconds_at_most) {
      job.asked_to_stop = now;
      job.over_limit = true;
      job.progress.what = "stopping: the limit of its time is reached";
      internal::ask_to_end(process);
      touch(job);
    }
    if (job.asked_to_stop && now - *job.asked_to_stop > options_.seconds_to_stop) internal::kill_process(process);
    return;
  }
  conclude(id, job, ending);
}

// The process is gone; what it left tells the rest.
void JobRunner::conclude(const std::string& id, Job& job, const std::string& ending) {
  const fs::path folder = project_.root() / "jobs" / id;
  job.record.pid = job.record.pid_start = std::nullopt;
  if (has(id, "result.json")) {
    ResultStatus result;
    try {
      from_known_fields(result, read_json((folder / "result.json").string()), id);
    } catch (const std::exception&) {
      result = {};
    }
    if (job.over_limit)
      result.reason = fmt::format("it was asked to stop after {:.3g} hours, the limit (--job-hours of kdyn serve)",
                                  options_.seconds_at_most / 3600.0);
    job.record.status = result.status;
    job.record.reason = result.reason;
    const bool complete = result.status == "done" || result.status == "converged" || result.status == "ok";
    job.record.state = complete ? JobState::done : JobState::not_complete;
    job.progress.fraction = 1.0;
  } else if (has(id, "error.json")) {
    job.record.state = JobState::failed;
    JobError& error = job.record.error.emplace();
    try {
      from_known_fields(error, read_json((folder / "error.json").string()), id);
    } catch (const std::exception&) {
      error.message = "the run failed";
    }
  } else if (job.asked_to_stop) {
    job.record.state = JobState::stopped;
    if (job.over_limit)
      job.record.error = {{},
                          "",
                          fmt::format("the run took longer than {:.3g} hours, the limit, and had no result yet",
                                      options_.seconds_at_most / 3600.0),
                          "give kdyn serve a larger --job-hours and run it again, or let it do less"};
  } else if (job.record.attempts < 2) {
    job.record.state = JobState::queued;
  } else {
    job.record.state = JobState::interrupted;
    job.record.error = {
        {},
        "",
        fmt::format("the run ended twice before it had a result{}", ending.empty() ? "" : " (" + ending + ")"),
        "look at log.txt in the folder of the job; run it again when the cause is gone"};
  }
  if (job.record.is_over()) job.record.finished = now_text();
  job.asked_to_stop.reset();
  job.watched_since.reset();
  job.over_limit = false;
  job.is_child = false;
  keep(id, job);
  touch(job);
}

}  // namespace kdyn::app
