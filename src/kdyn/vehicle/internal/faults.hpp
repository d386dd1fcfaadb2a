// SPDX-License-Identifier: Apache-2.0
// Which channel is broken: sign, unit, delay, mounting, two cables exchanged.
//
// A channel that spoils a fit is found by leaving each out in turn: without it the vehicle meets the noise of all
// others, and what it should have shown is known from them. Factor and delay of what it did show follow [vehicle E34].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/vehicle/internal/search.hpp"

namespace kdyn::inline vehicle::internal {

// Channels that show nothing but noise although the others say that they move: left out of the fit.
std::vector<int> dead_channels(const DecaySet& measured, const DecaySet& set, const Unknowns& unknowns,
                               const VehicleFitOptions& options, const std::vector<Vehicle<double>>& starts,
                               Progress& progress);

// One finding for the fault that explains why a fit misses the noise; none where no single one does. `spoilt`: that fit,
// `first_starts`: where it began. `better`: a vehicle that meets all channels after all, found without one of them; then
// no channel is at fault.
std::vector<Finding> find_faults(const DecaySet& set, const Unknowns& unknowns, const VehicleFitOptions& options,
                                 const WeightedFit& spoilt, const std::vector<Vehicle<double>>& first_starts,
                                 std::optional<Vehicle<double>>& better, Progress& progress);

}  // namespace kdyn::inline vehicle::internal
