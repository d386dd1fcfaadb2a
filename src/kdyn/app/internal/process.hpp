// SPDX-License-Identifier: Apache-2.0
// Processes that outlive the one that started them: known by number and start time, since numbers are used again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kdyn::app::internal {

struct ProcessId {
  int pid = 0;                // 0: none
  std::uint64_t started = 0;  // clock ticks after boot
};

// Runs in `folder`, in a process group of its own (Ctrl-C in the terminal does not reach it), output appended to `log`.
// None when that failed: `reason` says why, `for_now` that it may work a moment later (no free process, file or
// memory).
ProcessId start_process(const std::vector<std::string>& words, const std::string& folder, const std::string& log,
                        std::string& reason, bool& for_now);

// A child is reaped when it has ended; `ending` then says how, in words.
bool has_ended(const ProcessId& process, bool is_child, std::string& ending);
void ask_to_end(const ProcessId& process);
void kill_process(const ProcessId& process);
// Asks, waits up to `seconds`, then kills.
void end_process(const ProcessId& process, double seconds);

}  // namespace kdyn::app::internal
