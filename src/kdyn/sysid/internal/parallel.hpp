// SPDX-License-Identifier: Apache-2.0
// A loop over a few independent pieces of work on all cores. Results do not depend on the number of threads: each index
// owns its output.
#pragma once

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace kdyn::inline sysid::internal {

inline int worker_count() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8); }

template <class Work>
void for_each_index(int count, Work&& work) {
  const int workers = std::min(worker_count(), count);
  if (workers <= 1) {
    for (int i = 0; i < count; ++i) work(i);
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers));
  std::vector<std::thread> threads;
  const auto share = [&](int worker) {
    try {
      for (int i = worker; i < count; i += workers) work(i);
    } catch (...) {
      failures[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  };
  for (int worker = 1; worker < workers; ++worker) threads.emplace_back(share, worker);
  share(0);
  for (std::thread& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace kdyn::inline sysid::internal
