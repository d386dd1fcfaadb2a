// SPDX-License-Identifier: Apache-2.0
// The one place where computations start threads.
//
// An exception of a thread is thrown again by the caller once all have ended (the one of the lowest thread). Where the
// machine gives no further thread, those that run do the work: shares must be taken from a common counter or be told by
// `threads`.
#pragma once

#include <functional>

namespace kdyn::inline numerics {

int machine_threads();                                                                  // at least 1
inline int threads_or_all(int asked) { return asked > 0 ? asked : machine_threads(); }  // 0: all of the machine

// share(thread) on `threads` threads, the caller being thread 0.
void run_team(int threads, const std::function<void(int thread)>& share);

// work(i) for i = 0 .. count - 1, each once, in any order. Results do not depend on the number of threads when each
// index owns its output.
void for_each_index(int count, int threads, const std::function<void(int index)>& work);

}  // namespace kdyn::inline numerics
