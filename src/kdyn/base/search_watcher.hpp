// SPDX-License-Identifier: Apache-2.0
// How a search comes on, step by step: for front ends that draw it while it runs. Searches tell their steps to the Progress they have anyway;
// where nobody watches, that costs a cast.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/progress.hpp"

namespace kdyn::inline base {

class SearchWatcher {
 public:
  virtual ~SearchWatcher() = default;
  // What the values of later steps are.
  virtual void values_are(const std::vector<std::string>& names, const std::vector<std::string>& units) = 0;
  // Step 0 begins another search. `search` tells those apart that run at the same time. May be called by several threads.
  virtual void step(std::string_view search, int step, double objective, std::span<const double> values) = 0;
};

inline SearchWatcher* watcher_of(Progress& progress) { return dynamic_cast<SearchWatcher*>(&progress); }

inline void tell_step(Progress& progress, int step, double objective, std::span<const double> values = {}) {
  if (SearchWatcher* watcher = watcher_of(progress)) watcher->step({}, step, objective, values);
}

// A front end that watches, or nobody: what parts of a longer job pass on.
class PassesSteps : public SearchWatcher {
 public:
  explicit PassesSteps(Progress& whole, std::string name = {}) : watcher_(watcher_of(whole)), name_(std::move(name)) {}
  void values_are(const std::vector<std::string>& names, const std::vector<std::string>& units) override {
    if (watcher_ != nullptr) watcher_->values_are(names, units);
  }
  void step(std::string_view search, int step, double objective, std::span<const double> values) override {
    if (watcher_ != nullptr) watcher_->step(name_.empty() ? search : name_, step, objective, values);
  }

 private:
  SearchWatcher* watcher_;
  std::string name_;
};

// One of several searches at the same time: it is told by its name and says nothing else.
class OneOfSearches final : public Progress, public PassesSteps {
 public:
  OneOfSearches(Progress& whole, std::string name) : PassesSteps(whole, std::move(name)), whole_(whole) {}
  bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
};

}  // namespace kdyn::inline base
