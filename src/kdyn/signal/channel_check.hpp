// SPDX-License-Identifier: Apache-2.0
// Faults that any measured channel may have, whatever it measures: it does not move, it left its range, single samples
// jump out, it hung for a while. Knows no unit and no model; what a channel means is judged by those who use it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::inline signal {

// Codes: dead_channel (one value from beginning to end), clipped (find_clipping), spikes (samples, up to one in a
// thousand, that stand out three times as far as all others and stand alone; or any three and more that jump out of a
// signal that is smooth beside them), channel_hangs (fifty or more equal samples
// amid a signal whose samples otherwise hardly ever repeat). Values that are not finite are passed over. `where` names
// the file. Fewer than 16 samples tell nothing.
std::vector<Finding> check_channel(std::span<const double> values, double start_s, double step_s,
                                   const std::string& name, const std::string& where);

// All signals of a set; at the times of the set where it has some.
std::vector<Finding> check_channels(const SignalSet& set, const std::string& where);

}  // namespace kdyn::inline signal
