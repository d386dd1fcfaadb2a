// SPDX-License-Identifier: Apache-2.0
// Temperatures that names of files and sheets tell: "z_map_80C.csv", "loop_-30degC.csv", a sheet "23 °C".
#pragma once

#include <optional>
#include <string_view>

#include "kdyn/door/read.hpp"

namespace kdyn::inline door {

// Degrees Celsius in a name; nothing when there is none, when there are several, or when a minus may be a hyphen
// ("map-30C").
std::optional<double> temperature_in_name(std::string_view name);

// Measurements that tell no temperature get that of their sheet or file, with a finding.
void label_temperatures(Contents& contents);

}  // namespace kdyn::inline door
