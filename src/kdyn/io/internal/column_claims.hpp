// SPDX-License-Identifier: Apache-2.0
// What names do not tell, units and numbers may: a rising column in seconds is time, the only column in mm the
// displacement, the only one in N the force.
#pragma once

#include <vector>

#include "kdyn/io/internal/bench_assembly.hpp"

namespace kdyn::inline io::internal {

// Columns of `nameless` that get a meaning move to the block, with a finding. Only where no map is in sight.
void claim_by_unit(DataBlock& block, std::vector<DataColumn>& nameless, std::vector<Finding>& findings);

}  // namespace kdyn::inline io::internal
