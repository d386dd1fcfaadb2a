// SPDX-License-Identifier: Apache-2.0
// States of a run for a pass backwards in time: all of them, or a few snapshots from which the others are computed
// again.
//
// Memory with a snapshot every k of N steps: N/k + 1 snapshots and k + 1 states; least, about 2 sqrt(N), at k =
// sqrt(N). A snapshot is a whole Run (state, factorisation, predictor), so that a repeated step is the same to the last
// bit. The price is one more run.
#pragma once

#include <utility>

#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

class Trajectory {
 public:
  virtual ~Trajectory() = default;
  virtual std::size_t steps() const = 0;
  virtual const RunState& start() const = 0;
  // Both ends of step n = 1 ... steps(); valid until the next call.
  virtual std::pair<const RunState*, const RunState*> step(std::size_t n) = 0;
};

class Stored final : public Trajectory {
 public:
  explicit Stored(const History& history) : history_(history) {}
  std::size_t steps() const override { return history_.states.size() - 1; }
  const RunState& start() const override { return history_.states.front(); }
  std::pair<const RunState*, const RunState*> step(std::size_t n) override {
    return {&history_.states[n - 1], &history_.states[n]};
  }

 private:
  const History& history_;
};

class Checkpoints final : public Trajectory {
 public:
  explicit Checkpoints(std::size_t interval) : interval_(interval > 0 ? interval : 1) {}

  // While the run goes on: at the start and after every accepted step.
  void keep(const Run& run);

  std::size_t steps() const override { return count_ > 0 ? count_ - 1 : 0; }
  const RunState& start() const override { return snapshots_.front().state(); }
  std::pair<const RunState*, const RunState*> step(std::size_t n) override;

  std::size_t snapshots() const { return snapshots_.size(); }
  std::size_t states_held() const { return window_.size(); }

 private:
  std::size_t interval_, count_ = 0;
  std::vector<Run> snapshots_;
  std::size_t window_at_ = 0;
  std::vector<RunState> window_;  // states of one interval, both ends included
};

// simulate() with checkpoints in place of a history.
RunResult simulate(const System& system, const RunOptions& options,
                   const std::function<void(const RunState&, const Evaluation&)>& observe, Progress& progress,
                   Checkpoints& checkpoints);

}  // namespace kdyn::mbs
