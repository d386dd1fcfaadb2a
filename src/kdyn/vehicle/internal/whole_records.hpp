// SPDX-License-Identifier: Apache-2.0
// Were records cut that are free decays from their first sample on?
#pragma once

#include "kdyn/vehicle/internal/fit.hpp"

namespace kdyn::inline vehicle::internal {

// Records that were cut at nearly the same time are cut at the same one, the last of them: records of one length share
// most of the work, and with a vehicle at hand the cuts are found anew.
PreparedDecays with_one_start(const DecaySet& measured, const DecayOptions& options, PreparedDecays prepared);

// [vehicle E21] A cut by 20 ms costs a well-damped vehicle most of what its wheels tell, and a vehicle from what is left
// is too uncertain to judge what came before. So the records are fitted whole, from `cut` on; true when that meets the
// samples before the cut within the noise and moves no parameter by more than the cut records leave open. `fit` and
// `prepared` are then those of the whole records.
bool fit_whole_records(const DecaySet& measured, const VehicleFitOptions& options, const Unknowns& unknowns,
                       const WeightedFit& cut, PreparedDecays& prepared, WeightedFit& fit, Progress& progress);

}  // namespace kdyn::inline vehicle::internal
