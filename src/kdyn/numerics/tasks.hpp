// SPDX-License-Identifier: Apache-2.0
// Many independent tasks: over the threads of this process or, when a front end was started by mpirun, over all ranks.
//
// What a task gives depends on its number alone (random numbers: RandomStream(seed, task)), so that nothing of the
// distribution shows in the result. Every caller on every rank gets the rows of all tasks and goes on with the same
// numbers. An algorithm does not know who runs it:
//   const auto rows = task_runner().run(100, [&](int task) { return std::vector<double>{...}; });
// A task gives numbers, or a struct with a field table: between processes it travels as the archive of its table
// (base/field.hpp). A task may have tasks of its own: they stay in its process.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::inline numerics {

// What a task gives, as bytes; numbers keep all their bits.
template <class T>
struct TaskValue {
  static std::string bytes(const T& value) { return archive_bytes(field_table<T>(), &value); }
  static void from_bytes(const std::string& bytes, T& value) { from_archive(field_table<T>(), &value, bytes); }
};
template <>
struct TaskValue<std::vector<double>> {
  static std::string bytes(const std::vector<double>& value);
  static void from_bytes(const std::string& bytes, std::vector<double>& value);
};

class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  // Runs tasks 0 .. count - 1 and returns what they give. When tasks throw, the exception of the one with the smallest
  // number is thrown.
  template <class Task>
  auto run(int count, const Task& task) {
    using T = std::remove_cvref_t<decltype(task(0))>;
    std::vector<T> out(static_cast<std::size_t>(count > 0 ? count : 0));
    if (ranks() == 1) {
      run_bytes(count, [&](int i) { return out[static_cast<std::size_t>(i)] = task(i), std::string(); });
    } else {
      const std::vector<std::string> all = run_bytes(count, [&](int i) { return TaskValue<T>::bytes(task(i)); });
      for (std::size_t i = 0; i < out.size(); ++i) TaskValue<T>::from_bytes(all[i], out[i]);
    }
    return out;
  }
  // The same with what travels between processes.
  virtual std::vector<std::string> run_bytes(int count, const std::function<std::string(int)>& task) = 0;
  // Processes that do the same work side by side and share it here; what all of them call together may be distributed
  // over them.
  virtual int ranks() const { return 1; }
};

// Threads of this process. threads = 0: all of the machine.
class ThreadRunner final : public TaskRunner {
 public:
  explicit ThreadRunner(int threads = 0) : threads_(threads) {}
  std::vector<std::string> run_bytes(int count, const std::function<std::string(int)>& task) override;

 private:
  int threads_;
};

// While it lives, task_runner() of this thread is one of threads in this process: for runners that spread over
// processes.
class InsideTask {
 public:
  InsideTask();
  ~InsideTask();
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;
};

// The runner of this process: threads, unless a front end has chosen another one at its start; always threads within a
// task.
TaskRunner& task_runner();
void set_task_runner(TaskRunner* runner);  // nullptr: threads again

}  // namespace kdyn::inline numerics
