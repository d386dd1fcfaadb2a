// SPDX-License-Identifier: Apache-2.0
// Time signals of several channels as delimited text: time_s, then one column for each channel named "<degree of freedom> [unit]".
//
//   time_s,1+Z [N],1+Z [m/s^2],7-Y [g]
// Labels as in data/dof.hpp; units are converted to SI and recorded. Time must be evenly spaced to 0.1 % of the step.
#pragma once

#include <string>
#include <string_view>

#include "kdyn/data/signal.hpp"

namespace kdyn {

// First column is time and every other one carries a unit in brackets.
bool looks_like_signal_csv(std::string_view content);
// Throws Error(bad_input) with file:line or column.
SignalSet parse_signal_csv(std::string_view content, const std::string& name);

}  // namespace kdyn
