// SPDX-License-Identifier: Apache-2.0
// What a run says of its controllers: limits that are reached, states that are faster than the steps or that grow by
// themselves, FMUs whose communication step is coarse or that warn.
#pragma once

#include <string>
#include <vector>

#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

class ControlWatch {
 public:
  explicit ControlWatch(const System& system) : system_(system) {}
  bool empty() const { return !system_.has_controllers(); }
  void see(const Run& run);
  std::vector<Finding> findings(double step_s, const std::string& where) const;

 private:
  const System& system_;
  std::size_t seen_ = 0;
  std::vector<std::size_t> limited_;  // points of the run at which an output is at its limit
  std::vector<double> jump_;          // of the FMUs, by controller
};

}  // namespace kdyn::mbs
