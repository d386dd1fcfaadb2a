// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/thread_team.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "kdyn/base/file_view.hpp"

namespace kdyn::inline numerics {

int machine_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void run_team(int threads, const std::function<void(int thread)>& share) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(std::max(1, threads)));
  FileView* const view = file_view();
  const auto guarded = [&](int thread) {
    const WithFileView same(view);
    try {
      share(thread);
    } catch (...) {
      failures[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  };
  std::vector<std::thread> team;
  for (int t = 1; t < threads; ++t) try {
      team.emplace_back(guarded, t);
    } catch (const std::system_error&) {
      break;
    }
  guarded(0);
  for (std::thread& thread : team) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void for_each_index(int count, int threads, const std::function<void(int index)>& work) {
  std::atomic<int> next{0};
  run_team(std::min(threads_or_all(threads), count), [&](int) {
    for (int i = next++; i < count; i = next++) work(i);
  });
}

}  // namespace kdyn::inline numerics
