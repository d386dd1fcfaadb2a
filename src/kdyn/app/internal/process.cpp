// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/internal/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/program.hpp"

namespace kdyn::app::internal {
namespace {

// Field 22 of /proc/PID/stat; 0 when there is no such process or it is only waiting to be reaped; none when that cannot
// be told now (no free file): then nothing must be concluded.
std::optional<std::uint64_t> start_time(int pid) {
  const int file = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT || errno == ESRCH ? std::optional<std::uint64_t>(0) : std::nullopt;
  char bytes[4096];
  const ssize_t count = ::read(file, bytes, sizeof bytes);
  const int trouble = errno;
  ::close(file);
  if (count < 0) return trouble == ESRCH ? std::optional<std::uint64_t>(0) : std::nullopt;
  const std::string stat(bytes, static_cast<std::size_t>(count));
  // The name in brackets may contain anything.
  const auto close = stat.rfind(')');
  if (close == std::string::npos || close + 2 >= stat.size() || stat[close + 2] == 'Z') return 0;
  std::size_t at = close + 2;
  for (int field = 3; field < 22; ++field) {
    at = stat.find(' ', at);
    if (at == std::string::npos) return 0;
    ++at;
  }
  return std::strtoull(stat.c_str() + at, nullptr, 10);
}

// In doubt it is: a job that is taken for dead would be started twice. Signals go only to those that surely are.
bool is_alive(const ProcessId& process, bool in_doubt) {
  if (process.pid <= 1 || process.started == 0) return false;
  const auto started = start_time(process.pid);
  return started ? *started == process.started : in_doubt;
}

}  // namespace

ProcessId start_process(const std::vector<std::string>& words, const std::string& folder, const std::string& log,
                        std::string& reason, bool& for_now) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // First, so that a server without a free file can still start a job.
  close_other_files(actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ProcessId process;
  const int code = posix_spawn(&process.pid, words.front().c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    reason = std::strerror(code);
    for_now = code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE || code == ENOSPC;
    return {};
  }
  process.started = start_time(process.pid).value_or(0);
  return process;
}

bool has_ended(const ProcessId& process, bool is_child, std::string& ending) {
  if (is_child) {
    int status = 0;
    const pid_t got = ::waitpid(process.pid, &status, WNOHANG);
    if (got == process.pid) {
      ending = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                   : fmt::format("exit code {}", WEXITSTATUS(status));
      return true;
    }
    return got < 0;
  }
  return !is_alive(process, true);
}

// The start time is compared first, so that a stranger who got the number is left alone.
void ask_to_end(const ProcessId& process) {
  if (is_alive(process, false)) ::kill(process.pid, SIGTERM);
}

void kill_process(const ProcessId& process) {
  if (is_alive(process, false)) ::kill(process.pid, SIGKILL);
}

void end_process(const ProcessId& process, double seconds) {
  ask_to_end(process);
  for (double waited = 0.0; waited < seconds && is_alive(process, true); waited += 0.02)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill_process(process);
  for (int i = 0; i < 100 && is_alive(process, true); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace kdyn::app::internal
