// SPDX-License-Identifier: Apache-2.0
// A measured signal over time, evenly sampled, in SI.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline data {

struct Signal {
  std::string name, unit;  // unit of the values, SI; empty when the file does not tell
  Dof dof;
  double start_s = 0.0, step_s = 0.0;
  std::vector<double> values;
};

// Signals that were recorded together; they may differ in length and step.
struct SignalSet {
  std::vector<Signal> signals;
  Source source;
  std::vector<Finding> findings;
};

}  // namespace kdyn::inline data
