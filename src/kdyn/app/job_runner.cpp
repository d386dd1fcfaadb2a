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

std::string state_of(const Json& record) { return record.value("state", ""); }

bool is_over(const std::string& state) { return state != "queued" && state != "running"; }

// job.json as an earlier server wrote it, or as anybody did: types and names are checked once, here, so that nothing
// later meets an odd one.
void check_record(const Json& record) {
  const auto demand_that = [](bool holds, const char* field, const char* what) {
    if (!holds) throw_bad_input(field, what, "delete the job, or mend its job.json by hand");
  };
  demand_that(record.is_object(), "job.json", "is no object");
  const auto is_fine = [&](const char* field, auto&& check) { return !record.contains(field) || check(record[field]); };
  const auto text = [](const Json& value) { return value.is_string(); };
  const auto count = [](const Json& value) {
    return value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  };
  demand_that(record.contains("operation") && record["operation"].is_string() &&
                  find_operation(record["operation"].get<std::string>()) != nullptr,
              "operation", "names no operation of this version of kdyn");
  static const std::vector<std::string> states = {"queued", "running", "done",       "not_complete",
                                                  "failed", "stopped", "interrupted"};
  demand_that(record.contains("state") && record["state"].is_string() &&
                  std::find(states.begin(), states.end(), record["state"].get<std::string>()) != states.end(),
              "state", "is no state of a job");
  demand_that(is_fine("options", [](const Json& value) { return value.is_object(); }), "options", "is no object");
  for (const char* field : {"title", "created", "started", "finished", "status", "reason"})
    demand_that(is_fine(field, text), field, "is no text");
  for (const char* field : {"attempts", "pid", "pid_start"}) demand_that(is_fine(field, count), field, "is no number");
  demand_that(is_fine("pid", [](const Json& value) { return value.get<std::uint64_t>() < (1u << 30); }), "pid",
              "is no number of a process");
  demand_that(is_fine("error", [](const Json& value) { return value.is_object(); }), "error", "is no object");
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
  watcher_ = std::thread([this] { watch(); });
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  changed_.notify_all();
  watcher_.join();
  // What runs now runs again at the next start, and has not failed.
  for (auto& [id, job] : jobs_) {
    if (state_of(job.record) != "running") continue;
    const internal::ProcessId process{job.record.value("pid", 0), job.record.value("pid_start", std::uint64_t{0})};
    internal::end_process(process, options_.seconds_to_stop);
    try {
      look_at(id, job);
    } catch (const std::exception& error) {
      log(id, error.what());
    }
    if (state_of(job.record) == "done") continue;
    std::error_code ec;
    fs::remove(project_.root() / "jobs" / id / "result.json", ec);
    job.record["state"] = "queued";
    job.record["attempts"] = std::max(0, job.record.value("attempts", 1) - 1);
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
    try {
      job.record = read_json((entry.path() / "job.json").string());
      check_record(job.record);
    } catch (const Error& error) {
      job.record = {
          {"operation", ""}, {"options", Json::object()}, {"title", id}, {"created", now_text()}, {"state", "damaged"}};
      job.record["error"] = error_json(Error(error.code(), "the record of this job cannot be used: " + error.message(),
                                             fmt::format("jobs/{}/job.json: {}", id, error.where()),
                                             "delete the job, or mend its job.json by hand"));
    }
    Job& kept = jobs_[id] = std::move(job);
    touch(kept);
    // The folder may come from anybody; so may the number of a process in it.
    if (!is_over(state_of(kept.record)) && !options_.mark.is_on(id, kept.record)) kept.record["state"] = "held";
    if (state_of(kept.record) == "running") look_at(id, kept);
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
                                     [](const auto& entry) { return state_of(entry.second.record) == "queued"; });
  if (static_cast<std::size_t>(waiting) >= options_.waiting_at_most)
    throw_bad_input("jobs", fmt::format("{} jobs are waiting already", waiting),
                    "wait until some are done, or cancel them");
  Job job;
  std::string id;
  std::error_code ec;
  do id = fmt::format("{:04}-{}", ++last_number_, slug(name));
  while (fs::exists(project_.root() / "jobs" / id, ec));
  job.record = {{"operation", name},     {"options", options}, {"title", title},
                {"created", now_text()}, {"state", "queued"},  {"attempts", 0}};
  try {
    save(id, job);
  } catch (const Error&) {
    fs::remove(project_.root() / "jobs" / id, ec);
    throw;
  }
  touch(job);
  const Json out = shown(id, jobs_[id] = std::move(job));
  wake_.notify_all();
  return out;
}

void JobRunner::check(const Operation& operation, const Json& options) const {
  check_options(operation, options);
  project_.check_texts(options, "");
}

Json JobRunner::shown(const std::string& id, const Job& job) const {
  Json out = {{"id", id}};
  for (const auto& [key, value] : job.record.items())
    if (key != "pid" && key != "pid_start" && key != "mark") out[key] = value;
  out["folder"] = "jobs/" + id;
  const bool over = is_over(state_of(job.record));
  out["fraction"] = over ? 1.0 : job.fraction;
  out["what"] = over ? "" : job.what;
  if (over) {
    out["has_report"] = has(id, "report.html");
    // Beside the token, not below it.
    if (out["has_report"] == true)
      out["report"] =
          fmt::format("{0}/jobs/{1}/report.html", project_.report_key(fmt::format("jobs/{}/report.html", id)), id);
    out["has_result"] = has(id, "result.json");
  }
  return out;
}

Json JobRunner::list() const {
  const std::lock_guard lock(mutex_);
  Json all = Json::array();
  for (auto it = jobs_.rbegin(); it != jobs_.rend(); ++it) all.push_back(shown(it->first, it->second));
  return all;
}

Json JobRunner::one(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  return shown(id, found->second);
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
  if (state_of(job.record) == "queued") {
    job.record["state"] = "stopped";
    job.record["finished"] = now_text();
    keep(id, job);
  } else if (state_of(job.record) == "running" && !job.asked_to_stop) {
    job.asked_to_stop = steady_seconds();
    job.what = "stopping";
    internal::ask_to_end({job.record.value("pid", 0), job.record.value("pid_start", std::uint64_t{0})});
  }
  touch(job);
}

void JobRunner::allow(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  Job& job = found->second;
  if (state_of(job.record) != "held")
    throw_bad_input("job", "it does not wait for your consent", "run it again instead");
  job.record["state"] = "queued";
  job.record["attempts"] = 0;
  for (const char* key : {"pid", "pid_start", "error", "finished", "status", "reason"}) job.record.erase(key);
  save(id, job);
  touch(job);
  wake_.notify_all();
}

Json JobRunner::again(const std::string& id) {
  const Json job = one(id);
  return submit(job.at("operation").get<std::string>(), job.at("options"), job.value("title", ""));
}

void JobRunner::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw Error(ErrorCode::file_access, "there is no such job", id, "look at the list of jobs");
  if (!is_over(state_of(found->second.record))) throw_bad_input("job", "it is not over yet", "cancel it first");
  std::error_code ec;
  fs::remove_all(project_.root() / "jobs" / id, ec);
  jobs_.erase(found);
  removed_[id] = ++revision_;
  changed_.notify_all();
}

Json JobRunner::changes(std::uint64_t since, double seconds) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return revision_ > since || ending_; });
  Json out = {{"revision", revision_}, {"jobs", Json::array()}, {"removed", Json::array()}};
  for (const auto& [id, job] : jobs_)
    if (job.revision > since) out["jobs"].push_back(shown(id, job));
  for (const auto& [id, revision] : removed_)
    if (revision > since) out["removed"].push_back(id);
  return out;
}

std::uint64_t JobRunner::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

void JobRunner::save(const std::string& id, Job& job) {
  options_.mark.put(id, job.record);
  write_text((project_.root() / "jobs" / id / "job.json").string(), dump_json(job.record));
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
      if (state_of(job.record) != "running") continue;
      guarded(id, [&] { look_at(id, job); });
      running += state_of(job.record) == "running";
    }
    for (auto& [id, job] : jobs_) {
      if (running >= options_.running_at_once) break;
      if (state_of(job.record) != "queued") continue;
      guarded(id, [&] { start(id, job); });
      running += state_of(job.record) == "running";
      busy = busy || state_of(job.record) == "queued";
    }
    // Nothing runs: sleep until somebody submits.
    if (running > 0)
      wake_.wait_for(lock, std::chrono::milliseconds(50));
    else if (busy)
      wake_.wait_for(lock, std::chrono::milliseconds(1000));
    else
      wake_.wait(lock);
  }
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
  for (const char* stale : {"progress.json", "result.json", "error.json"}) fs::remove(folder / stale, ec);
  // Before the process: a disk that takes no record now lets the job wait.
  save(id, job);
  std::vector<std::string> words = options_.program;
  words.push_back("jobs/" + id);
  internal::ProcessId process;
  std::optional<Error> refusal;
  try {
    // Also those of an earlier server: the folder may have been changed by hand since, or may come from somebody else.
    check(*find_operation(job.record.at("operation").get<std::string>()), job.record.value("options", Json::object()));
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
    job.record["error"] = error_json(*refusal);
    job.record["state"] = "failed";
    job.record["finished"] = now_text();
  } else {
    job.is_child = true;
    job.watched_since = steady_seconds();
    job.record["state"] = "running";
    job.record["pid"] = process.pid;
    job.record["pid_start"] = process.started;
    job.record["started"] = now_text();
    job.record["attempts"] = job.record.value("attempts", 0) + 1;
    job.record.erase("error");
  }
  job.fraction = -1.0;
  job.what = "starting";
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
        const Json told = read_json(progress);
        job.fraction = told.value("fraction", -1.0);
        if (!job.asked_to_stop) job.what = told.value("what", "");
        touch(job);
      } catch (const std::exception&) {  // the next one will be read
      }
    }
  }
  const internal::ProcessId process{job.record.value("pid", 0), job.record.value("pid_start", std::uint64_t{0})};
  std::string ending;
  if (!internal::has_ended(process, job.is_child, ending)) {
    // The steady clock stands still while the machine sleeps: a night in a bag is no running time. It is counted from
    // the start, or from when this server found the process.
    const double now = steady_seconds();
    if (!job.watched_since) job.watched_since = now;
    if (!job.asked_to_stop && now - *job.watched_since > options_.seconds_at_most) {
      job.asked_to_stop = now;
      job.over_limit = true;
      job.what = "stopping: the limit of its time is reached";
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
  job.record.erase("pid");
  job.record.erase("pid_start");
  if (has(id, "result.json")) {
    try {
      const Json result = read_json((folder / "result.json").string());
      job.record["status"] = result.value("status", "done");
      job.record["reason"] = result.value("reason", "");
      if (job.over_limit)
        job.record["reason"] =
            fmt::format("it was asked to stop after {:.3g} hours, the limit (--job-hours of kdyn serve)",
                        options_.seconds_at_most / 3600.0);
    } catch (const std::exception&) {
      job.record["status"] = "done";
    }
    const std::string status = job.record["status"].get<std::string>();
    const bool complete = status == "done" || status == "converged" || status == "ok";
    job.record["state"] = complete ? "done" : "not_complete";
    job.fraction = 1.0;
  } else if (has(id, "error.json")) {
    job.record["state"] = "failed";
    try {
      job.record["error"] = read_json((folder / "error.json").string());
    } catch (const std::exception&) {
      job.record["error"] = {{"message", "the run failed"}};
    }
  } else if (job.asked_to_stop) {
    job.record["state"] = "stopped";
    if (job.over_limit)
      job.record["error"] = {
          {"message", fmt::format("the run took longer than {:.3g} hours, the limit, and had no result yet",
                                  options_.seconds_at_most / 3600.0)},
          {"remedy", "give kdyn serve a larger --job-hours and run it again, or let it do less"}};
  } else if (job.record.value("attempts", 1) < 2) {
    job.record["state"] = "queued";
  } else {
    job.record["state"] = "interrupted";
    job.record["error"] = {{"message", fmt::format("the run ended twice before it had a result{}",
                                                   ending.empty() ? "" : " (" + ending + ")")},
                           {"remedy", "look at log.txt in the folder of the job; run it again when the cause is gone"}};
  }
  if (is_over(state_of(job.record))) job.record["finished"] = now_text();
  job.asked_to_stop.reset();
  job.watched_since.reset();
  job.over_limit = false;
  job.is_child = false;
  keep(id, job);
  touch(job);
}

}  // namespace kdyn::app
