// SPDX-License-Identifier: Apache-2.0
// Frequency responses on the screen: which channels files hold, and the values of those somebody chose. SI units, phase
// in deg. Long axes are thinned with every extreme of the magnitude kept. Nothing is computed here but magnitude and
// phase.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/frequency_response.hpp"

namespace kdyn::app {

// Such as "(m/s^2)/N"; empty when a unit is not known.
std::string unit_of(const FrequencyResponseChannel& channel);

class ResponseView {
 public:
  // Any format that kdyn modal reads; the lines of all files must agree.
  explicit ResponseView(const std::vector<std::string>& files);

  // {"name", "lines", "from_hz", "to_hz", "channels": [{"output", "input", "unit"}]}
  Json channels() const;
  // [{"output", "input", "frequency_hz", "magnitude", "phase_deg", "coherence"}]; `chosen` are indices into channels,
  // from 0.
  Json values(const std::vector<double>& chosen) const;

 private:
  FrequencyResponse response_;
};

}  // namespace kdyn::app
