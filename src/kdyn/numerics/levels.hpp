// SPDX-License-Identifier: Apache-2.0
// Values grouped into levels: amplitudes as achieved scatter about their nominal, within 10 %; frequencies hardly.
#pragma once

#include <cstddef>
#include <vector>

namespace kdyn::inline numerics {

// The middle value of each level, ascending. `spread`: neighbours closer than this share of their value are one level.
constexpr double frequency_spread =
    0.01;  // a bench keeps its frequency; dense sweeps have neighbours within a few per cent
std::vector<double> levels_of(std::vector<double> values, double spread = 0.1);
std::size_t nearest_level(const std::vector<double>& levels, double value);

}  // namespace kdyn::inline numerics
