// SPDX-License-Identifier: Apache-2.0
// A step of a longer job: its progress from 0 to 1 is a share of the whole.
#pragma once

#include <mutex>
#include <string>

#include "kdyn/base/search_watcher.hpp"

namespace kdyn::inline base {

class ProgressPart final : public Progress, public PassesSteps {
 public:
  ProgressPart(Progress& whole, double from, double to) : PassesSteps(whole), whole_(whole), from_(from), to_(to) {}
  void report(double fraction, std::string_view what) override {
    whole_.report(fraction < 0.0 ? fraction : from_ + (to_ - from_) * fraction, what);
  }
  bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
  double from_, to_;
};

// Many tasks at a time, over threads: finished ones are counted for the display, a stop is passed on.
class ProgressOfTasks final : public Progress {
 public:
  ProgressOfTasks(Progress& whole, int count, std::string name)
      : whole_(whole),
        count_(count),
        name_(std::move(name)) {}
  bool stop_requested() const override { return whole_.stop_requested(); }
  void done() {
    const std::lock_guard lock(mutex_);
    ++finished_;
    whole_.report(static_cast<double>(finished_) / count_,
                  name_ + " " + std::to_string(finished_) + " of " + std::to_string(count_));
  }

 private:
  Progress& whole_;
  int count_, finished_ = 0;
  std::string name_;
  std::mutex mutex_;
};

}  // namespace kdyn::inline base
