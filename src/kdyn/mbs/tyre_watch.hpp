// SPDX-License-Identifier: Apache-2.0
// What the tyres of a run met that their numbers do not cover: lifted off, beyond the road, beyond the file's ranges.
#pragma once

#include <limits>
#include <vector>

#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

class TyreWatch {
 public:
  explicit TyreWatch(const System& system);
  bool empty() const { return seen_.empty(); }
  void see(const RunState& state, const Evaluation& e);
  std::vector<Finding> findings(const std::string& where) const;

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();
  struct Seen {
    long points = 0, lifted = 0, slow = 0, below = 0;
    double first_lifted = 0.0, last_lifted = 0.0;
    double most_load = 0.0, least_load = none, most_deflection = 0.0, most_camber = 0.0, steepest_axis = 0.0,
           most_across = 0.0, least_x = none, most_x = -none, most_slip_x = 0.0, most_slip_y = 0.0,
           slides_at_start = 0.0, speed_at_start = 0.0, longest_way = 0.0;
  };
  const System& system_;
  std::vector<Seen> seen_;
};

}  // namespace kdyn::mbs
