// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/tasks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>

#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::inline numerics {
namespace {

TaskRunner* chosen = nullptr;
thread_local int depth = 0;  // of tasks this thread is in

}  // namespace

std::string TaskValue<std::vector<double>>::bytes(const std::vector<double>& value) {
  std::string out(value.size() * sizeof(double), '\0');
  if (!value.empty()) std::memcpy(out.data(), value.data(), out.size());
  return out;
}

void TaskValue<std::vector<double>>::from_bytes(const std::string& bytes, std::vector<double>& value) {
  value.resize(bytes.size() / sizeof(double));
  if (!value.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
}

std::vector<std::string> ThreadRunner::run_bytes(int count, const std::function<std::string(int)>& task) {
  std::vector<std::string> rows(static_cast<std::size_t>(std::max(0, count)));
  std::atomic<int> next{0};
  std::mutex mutex;
  int failed = count;
  std::exception_ptr failure;
  run_team(std::min(threads_or_all(threads_), count), [&](int) {
    for (int i = next++; i < count; i = next++) {
      try {
        rows[static_cast<std::size_t>(i)] = task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) failed = i, failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
  return rows;
}

InsideTask::InsideTask() { ++depth; }
InsideTask::~InsideTask() { --depth; }

TaskRunner& task_runner() {
  static ThreadRunner threads;
  return chosen != nullptr && depth == 0 ? *chosen : threads;
}

void set_task_runner(TaskRunner* runner) { chosen = runner; }

}  // namespace kdyn::inline numerics
