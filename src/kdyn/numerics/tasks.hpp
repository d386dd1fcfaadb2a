// SPDX-License-Identifier: Apache-2.0
// Many independent tasks: over the threads of this process or, when a front end was started by mpirun, over all ranks.
//
// What a task gives depends on its number alone (random numbers: RandomStream(seed, task)), so that nothing of the distribution shows in the
// result. Every caller on every rank gets the rows of all tasks and goes on with the same numbers. An algorithm does not know who runs it:
//   const auto rows = task_runner().run(100, [&](int task) { return std::vector<double>{...}; });
// A task may have tasks of its own: they stay in its process.
#pragma once

#include <functional>
#include <vector>

namespace kdyn {

class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  // Runs tasks 0 .. count - 1 and returns their rows. When tasks throw, the exception of the one with the smallest number is thrown.
  virtual std::vector<std::vector<double>> run(int count, const std::function<std::vector<double>(int)>& task) = 0;
  // Processes that do the same work side by side and share it here; what all of them call together may be distributed over them.
  virtual int ranks() const { return 1; }
};

// Threads of this process. threads = 0: all of the machine.
class ThreadRunner final : public TaskRunner {
 public:
  explicit ThreadRunner(int threads = 0) : threads_(threads) {}
  std::vector<std::vector<double>> run(int count, const std::function<std::vector<double>(int)>& task) override;

 private:
  int threads_;
};

// While it lives, task_runner() of this thread is one of threads in this process: for runners that spread over processes.
class InsideTask {
 public:
  InsideTask();
  ~InsideTask();
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;
};

// The runner of this process: threads, unless a front end has chosen another one at its start; always threads within a task.
TaskRunner& task_runner();
void set_task_runner(TaskRunner* runner);  // nullptr: threads again

}  // namespace kdyn
