// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/job_folder.hpp"

#include <chrono>
#include <filesystem>
#include <mutex>

#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

namespace fs = std::filesystem;

// Operations may report from several threads and thousands of times a second; a file is written ten times a second.
class FileProgress final : public Progress {
 public:
  FileProgress(std::string path, const std::atomic<bool>& stop) : path_(std::move(path)), stop_(stop) {}
  void report(double fraction, std::string_view what) override {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100) && what == what_) return;
    last_ = now;
    what_ = what;
    write_text(path_, dump_json({{"fraction", fraction}, {"what", what_}}));
  }
  bool stop_requested() const override { return stop_; }

 private:
  std::string path_, what_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace

Json error_json(const Error& error) {
  return {{"code", static_cast<int>(error.code())}, {"where", error.where()}, {"message", error.message()}, {"remedy", error.remedy()}};
}

int run_job_folder(const std::string& folder, const std::atomic<bool>& stop) {
  const auto path = [&](const char* name) { return (fs::path(folder) / name).string(); };
  const auto fail = [&](const Error& error) {
    write_text(path("error.json"), dump_json(error_json(error)));
    return static_cast<int>(error.code());
  };
  try {
    const Json job = read_json(path("job.json"));
    const std::string name = job.is_object() ? job.value("operation", "") : "";
    const Operation* operation = find_operation(name);
    if (operation == nullptr)
      throw_bad_input(path("job.json"), fmt::format("unknown operation {}", in_quotes(name)), "kdyn describe lists the operations");
    FileProgress progress(path("progress.json"), stop);
    const Outcome outcome = run_operation(*operation, job.value("options", Json::object()), progress);
    write_outcome(outcome, folder, true);
    return outcome.complete ? 0 : 3;
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::exception& error) {
    return fail(Error(ErrorCode::internal, error.what(), "", "please report this with the project folder of the job"));
  }
}

}  // namespace kdyn::app
