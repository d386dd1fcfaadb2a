// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM while an operation works.
//
// The first signal asks the work to stop and bring what it has: exit code 3. Work that does not look at the request
// within 2 s (one large factorisation, a file that never comes) is ended, and work that looked but is not ready 8 s
// later: nothing of the run is kept, an earlier result stays, exit code 128 + signal as shells count it. A second
// signal ends the program at once.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "kdyn/app/result_folder.hpp"

namespace kdyn::cli {

// From here on signals are requests.
void take_signals();

// Whether one came; who asks is expected to stop soon.
bool is_stopped();

// Ends the program when the work between its construction and destruction does not stop.
class StopLimit {
 public:
  explicit StopLimit(app::ResultFolder* folder);  // nullptr: there is none to leave as it was
  ~StopLimit();
  StopLimit(const StopLimit&) = delete;
  StopLimit& operator=(const StopLimit&) = delete;

 private:
  void watch();

  app::ResultFolder* folder_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread watcher_;
};

}  // namespace kdyn::cli
