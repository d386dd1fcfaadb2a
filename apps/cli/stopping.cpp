// SPDX-License-Identifier: Apache-2.0
#include "stopping.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <system_error>

#include <unistd.h>

namespace kdyn::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto to_notice = std::chrono::seconds(2), to_finish = std::chrono::seconds(10);

std::atomic<int> asked{0};  // the signal
std::atomic<bool> noticed{false};

extern "C" void on_stop_signal(int signal) {
  asked = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void take_signals() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, &on_stop_signal);
}

bool is_stopped() {
  if (asked == 0) return false;
  noticed = true;
  return true;
}

StopLimit::StopLimit(app::ResultFolder* folder) : folder_(folder) {
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread to be had: a second signal ends the program
  }
}

StopLimit::~StopLimit() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  over_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void StopLimit::watch() {
  std::optional<Clock::time_point> since;
  std::unique_lock lock(mutex_);
  // A handler of signals may touch nothing but the flag: it is looked at ten times a second.
  while (!over_.wait_for(lock, std::chrono::milliseconds(100), [&] { return done_; })) {
    if (asked == 0) continue;
    if (!since) since = Clock::now();
    const auto waited = Clock::now() - *since;
    if (waited < to_notice || (noticed && waited < to_finish)) continue;
    std::fputs("\nkdyn: stopped; nothing of this run is kept, it was in the middle of a step\n", stderr);
    if (folder_ != nullptr) folder_->abandon();
    ::_exit(128 + asked);
  }
}

}  // namespace kdyn::cli
