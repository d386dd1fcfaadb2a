// SPDX-License-Identifier: Apache-2.0
// Does a model describe its data? One answer for every identification: misfit against what the measurement repeats to
// [numerics E10].
//
// A channel is a kind of data with one unit. Its misfit is compared with the noise of the data, known or estimated
// without the model (numerics/scatter.hpp), but with no less than what benches of this kind repeat to and no more than
// what anybody would call noise. Beyond `factor` times that the model lacks something: the status becomes poor_fit
// (exit code 3), a finding says where, and intervals, which suppose that the model is right, are withheld.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"

namespace kdyn::inline numerics {

// What misfits are looked at over, to say where the model fails: "frequency" of each residual, shown as factor * value
// with the unit.
struct GateAxis {
  std::string name, unit;
  double factor = 1.0;
  std::vector<double> values;
};

struct GateChannel {
  std::string name;               // "stiffness", "loss angle", "static loop"
  std::string unit;               // of what is shown: "%", "deg", "N"
  double factor = 1.0;            // shown = factor * value
  std::vector<double> residuals;  // model minus measurement
  double noise = 0.0;             // standard deviation of the measurement, known or estimated; 0: not known
  double finest = 0.0;            // benches do not repeat better
  double coarsest = std::numeric_limits<double>::infinity();  // more than this is no noise
  std::vector<GateAxis> axes;

  double misfit() const;   // rms of the residuals
  double allowed() const;  // what it is compared with, before the factor
};

struct GateVerdict {
  bool poor = false;
  double worst = 0.0;  // largest misfit over allowed, of all channels
  std::string words;  // "stiffness misses by 41 %, 27 times what the data repeat to (1.5 %), worst at amplitude 1 ... 2
                      // mm (60 %)"
  std::string scatter;  // channels that miss by more than anybody would call noise, though not by gate_factor times
                        // that; empty: none
};

inline constexpr double gate_factor = 3.0;

// `physics`: what the model may lack, where the caller can see it; ends the finding.
GateVerdict judge_fit(const std::vector<GateChannel>& channels);

// Applies a verdict: finding, status and reason (a fit that did not converge keeps its own), intervals. What scatters
// more than benches do is a warning: intervals suppose noise, not two parts in one file.
void apply_gate(const GateVerdict& verdict, const std::string& physics, std::string& status, std::string& reason,
                std::vector<ParameterEstimate>& parameters, std::vector<Finding>& findings);

// An interval wider than three decades is none: such free and derived parameters become "not determined" and are named
// by a finding.
void withhold_wide_intervals(std::vector<ParameterEstimate>& parameters, std::vector<Finding>& findings);

}  // namespace kdyn::inline numerics
