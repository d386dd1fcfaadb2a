// SPDX-License-Identifier: Apache-2.0
// Values grouped into levels: neighbours closer than 10 % are one level (amplitudes as achieved scatter about their nominal).
#pragma once

#include <cstddef>
#include <vector>

namespace kdyn {

std::vector<double> levels_of(std::vector<double> values);  // the middle value of each level, ascending
std::size_t nearest_level(const std::vector<double>& levels, double value);

}  // namespace kdyn
