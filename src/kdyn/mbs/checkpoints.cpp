// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/checkpoints.hpp"

#include <algorithm>

#include "kdyn/base/error.hpp"

namespace kdyn::mbs {

void Checkpoints::keep(const Run& run) {
  if (count_ % interval_ == 0) snapshots_.push_back(run);
  ++count_;
}

std::pair<const RunState*, const RunState*> Checkpoints::step(std::size_t n) {
  const std::size_t interval = (n - 1) / interval_, first = interval * interval_;
  if (window_.empty() || window_at_ != first) {
    window_.clear();
    window_at_ = first;
    Run run = snapshots_[interval];
    window_.push_back(run.state());
    const std::size_t last = std::min(first + interval_, steps());
    std::string reason;
    for (std::size_t i = first; i < last; ++i) {
      // It was accepted before, and nothing has changed since.
      if (!run.step(reason))
        throw Error(ErrorCode::internal, "a step that was accepted before is not accepted again: " + reason,
                    "checkpoints", "");
      window_.push_back(run.state());
    }
  }
  return {&window_[n - 1 - first], &window_[n - first]};
}

}  // namespace kdyn::mbs
