// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/job_runner.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
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

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// "fit elastomer" -> "fit-elastomer"
std::string slug(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return text;
}

std::string state_of(const Json& record) { return record.value("state", ""); }

bool is_over(const std::string& state) { return state != "queued" && state != "running"; }

void check_options(const Operation& operation, const Json& options) {
  if (!options.is_object()) throw_bad_input("options", "must be an object of fields", R"(write {"field": value, ...})");
  const FieldTable& table = operation.options();
  for (const auto& [name, value] : options.items())
    if (table.find(name) == nullptr)
      throw_bad_input(name, fmt::format("unknown field {} of {}", in_quotes(name), table.subject()), suggest(name, table.names()));
  for (const Field& field : table.fields())
    if (field.required && !options.contains(field.name)) throw_bad_input(field.name, "this is needed", field.meaning);
}

}  // namespace

JobRunner::JobRunner(Project& project, JobRunnerOptions options)
    : project_(project),
      options_(std::move(options)),
      revision_(static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count())) {
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
    look_at(id, job);
    if (state_of(job.record) == "done") continue;
    fs::remove(project_.root() / "jobs" / id / "result.json");
    job.record["state"] = "queued";
    job.record["attempts"] = std::max(0, job.record.value("attempts", 1) - 1);
    save(id, job);
  }
}

void JobRunner::find_earlier_jobs() {
  std::error_code ec;
  for (const fs::directory_entry& entry : fs::directory_iterator(project_.root() / "jobs", ec)) {
    const std::string id = entry.path().filename().string();
    if (entry.is_symlink(ec) || !entry.is_directory(ec)) continue;
    last_number_ = std::max(last_number_, static_cast<std::uint64_t>(std::strtoull(id.c_str(), nullptr, 10)));
    Job job;
    try {
      job.record = read_json((entry.path() / "job.json").string());
    } catch (const Error&) {
      continue;  // not a job of ours, or one that was never submitted completely
    }
    if (!job.record.is_object() || find_operation(job.record.value("operation", "")) == nullptr) continue;
    Job& kept = jobs_[id] = std::move(job);
    touch(kept);
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
  check_options(*operation, options);
  project_.check_texts(options, "");
  const std::lock_guard lock(mutex_);
  const auto waiting = std::count_if(jobs_.begin(), jobs_.end(), [](const auto& entry) { return state_of(entry.second.record) == "queued"; });
  if (static_cast<std::size_t>(waiting) >= options_.waiting_at_most)
    throw_bad_input("jobs", fmt::format("{} jobs are waiting already", waiting), "wait until some are done, or cancel them");
  Job job;
  std::string id;
  std::error_code ec;
  do id = fmt::format("{:04}-{}", ++last_number_, slug(name));
  while (fs::exists(project_.root() / "jobs" / id, ec));
  job.record = {{"operation", name}, {"options", options}, {"title", title}, {"created", now_text()}, {"state", "queued"}, {"attempts", 0}};
  save(id, job);
  touch(job);
  const Json out = shown(id, jobs_[id] = std::move(job));
  wake_.notify_all();
  return out;
}

Json JobRunner::shown(const std::string& id, const Job& job) const {
  Json out = {{"id", id}};
  for (const auto& [key, value] : job.record.items())
    if (key != "pid" && key != "pid_start") out[key] = value;
  out["folder"] = "jobs/" + id;
  const bool over = is_over(state_of(job.record));
  out["fraction"] = over ? 1.0 : job.fraction;
  out["what"] = over ? "" : job.what;
  if (over) {
    out["has_report"] = has(id, "report.html");
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
    save(id, job);
  } else if (state_of(job.record) == "running" && !job.asked_to_stop) {
    job.asked_to_stop = steady_seconds();
    job.what = "stopping";
    internal::ask_to_end({job.record.value("pid", 0), job.record.value("pid_start", std::uint64_t{0})});
  }
  touch(job);
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

void JobRunner::save(const std::string& id, Job& job) { write_text((project_.root() / "jobs" / id / "job.json").string(), dump_json(job.record)); }

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
    for (auto& [id, job] : jobs_) {
      if (state_of(job.record) != "running") continue;
      look_at(id, job);
      running += state_of(job.record) == "running";
    }
    for (auto& [id, job] : jobs_) {
      if (running >= options_.running_at_once) break;
      if (state_of(job.record) != "queued") continue;
      start(id, job);
      running += state_of(job.record) == "running";
    }
    // Nothing runs: sleep until somebody submits.
    if (running == 0)
      wake_.wait(lock);
    else
      wake_.wait_for(lock, std::chrono::milliseconds(50));
  }
}

void JobRunner::start(const std::string& id, Job& job) {
  const fs::path folder = project_.root() / "jobs" / id;
  std::error_code ec;
  for (const char* stale : {"progress.json", "result.json", "error.json"}) fs::remove(folder / stale, ec);
  std::vector<std::string> words = options_.program;
  words.push_back("jobs/" + id);
  std::string reason;
  const internal::ProcessId process = internal::start_process(words, project_.root().string(), (folder / "log.txt").string(), reason);
  if (process.pid == 0) {
    job.record["error"] = error_json(Error(ErrorCode::internal, "the process could not be started: " + reason, id, "see the terminal of kdyn serve"));
    job.record["state"] = "failed";
  } else {
    job.is_child = true;
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
  save(id, job);
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
    const double now = steady_seconds();
    struct stat record {};
    const bool known = ::stat((folder / "job.json").c_str(), &record) == 0;
    if (!job.asked_to_stop && known && static_cast<double>(std::time(nullptr) - record.st_mtime) > options_.seconds_at_most) {
      job.asked_to_stop = now;
      internal::ask_to_end(process);
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
  } else if (job.record.value("attempts", 1) < 2) {
    job.record["state"] = "queued";
  } else {
    job.record["state"] = "interrupted";
    job.record["error"] = {{"message", fmt::format("the run ended twice before it had a result{}", ending.empty() ? "" : " (" + ending + ")")},
                           {"remedy", "look at log.txt in the folder of the job; run it again when the cause is gone"}};
  }
  if (is_over(state_of(job.record))) job.record["finished"] = now_text();
  job.asked_to_stop.reset();
  job.is_child = false;
  save(id, job);
  touch(job);
}

}  // namespace kdyn::app
