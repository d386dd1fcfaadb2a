// SPDX-License-Identifier: Apache-2.0
// Points of a map that a person does not trust: taken out before anything is fitted, and told.
#pragma once

#include <cstdint>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::app {

// `rows` count from 1 over all map files as they were read. Throws Error(bad_input) when there is no such row, or none
// is left.
void leave_out_rows(StiffnessMap& map, const std::vector<std::int64_t>& rows, std::vector<Finding>& findings);

inline constexpr const char* leave_out_meaning =
    "Points of the map to leave out: their numbers, counted from 1 over all map files as they are read";

}  // namespace kdyn::app
