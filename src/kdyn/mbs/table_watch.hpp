// SPDX-License-Identifier: Apache-2.0
// Whether a run leaves the force tables of its model: beyond their ends forces are guessed along the end slopes.
#pragma once

#include <vector>

#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

class TableWatch {
 public:
  explicit TableWatch(const System& system);
  bool empty() const { return tables_.empty(); }
  void see(const RunState& state);  // its motions of the laws: Run::state
  // One finding for each table that was left, with how far.
  std::vector<Finding> findings(const std::string& where) const;

 private:
  struct Range {
    std::size_t axis;
    std::string name;
    double low[2], high[2];  // of displacement and velocity; equal: the table does not depend on it
    double least[2] = {0.0, 0.0}, most[2] = {0.0, 0.0};
  };
  std::vector<Range> tables_;
};

}  // namespace kdyn::mbs
