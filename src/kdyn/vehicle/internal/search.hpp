// SPDX-License-Identifier: Apache-2.0
// The best of several weighted fits, from the most promising starts on.
#pragma once

#include <vector>

#include "kdyn/vehicle/internal/fit.hpp"
#include "kdyn/vehicle/internal/start_values.hpp"

namespace kdyn::inline vehicle::internal {

// First weights: noise of the sensors, with a floor for data without any. Throws when a channel is zero throughout.
ChannelValues first_weights(const DecaySet& set);

DecaySet without_channels(const DecaySet& set, const std::vector<int>& channels);

// Largest residual over noise of all channels.
double worst_over_noise(const WeightedFit& fit, const ChannelValues& noise);

// A rough fit. The first starts are those of a passenger car. When none of them meets the noise, vehicles of other kinds
// are tried, `searched` of them.
WeightedFit search(const Likelihood& likelihood, const Unknowns& unknowns, const DecaySet& set,
                   std::vector<Vehicle<double>> starts, const ChannelValues& noise, const VehicleFitOptions& options,
                   Progress& progress, std::size_t searched = 6);

// The full fit from there.
WeightedFit settle(const Likelihood& likelihood, const Unknowns& unknowns, const WeightedFit& rough,
                   const ChannelValues& noise, const VehicleFitOptions& options, Progress& progress);

}  // namespace kdyn::inline vehicle::internal
