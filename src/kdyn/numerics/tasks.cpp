// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/tasks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

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
  const auto work = [&] {
    for (int i = next++; i < count; i = next++) {
      try {
        rows[static_cast<std::size_t>(i)] = task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) failed = i, failure = std::current_exception();
      }
    }
  };
  const int asked = threads_ > 0 ? threads_ : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::thread> pool;
  for (int t = 1; t < std::min(asked, count); ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
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
