// SPDX-License-Identifier: Apache-2.0
// What a fitted vehicle is held against before anybody believes it: sensor noise, plausible sizes, what the decays
// determine at all.
#pragma once

#include <vector>

#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/internal/likelihood.hpp"

namespace kdyn::inline vehicle::internal {

inline constexpr double noise_only = 1.5;  // a channel with less than this many times its noise shows no motion

double channel_rms(const DecaySet& set, int channel);

// Whether a wheel that moves in `before` shows nothing but noise in `after`, which was cut later: wheels hop as soon as
// they have left the bump, so no excitation lasts until they rest.
bool loses_motion(const DecaySet& before, const DecaySet& after);

std::vector<ChannelCheck> check_channels(const VehicleFitResult& result, const ChannelValues& sigma,
                                         const VehicleFitOptions& options);

// Intervals of the bound of Cramer and Rao at the solution that are too wide to mean anything, and what only a channel
// without signal could have shown, read "not determined".
void withhold_unseen(VehicleFitResult& result);

// What no road vehicle has, from kart to bus: a sign of wrong units, sampling or added mass, which the decays
// themselves cannot show.
void check_plausible(VehicleFitResult& result);

// The gate of all identifications: what the model leaves in each channel against the noise of its sensor, which the
// quiet part of the record or the user tells. A sensor is not better than a hundredth of its signal, and a tenth of it
// is no noise.
void judge_vehicle(VehicleFitResult& result);

void add_findings(VehicleFitResult& result, std::size_t samples, const VehicleFitOptions& options);

}  // namespace kdyn::inline vehicle::internal
