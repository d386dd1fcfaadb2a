// SPDX-License-Identifier: Apache-2.0
// The found numbers as they stand in the result.
#pragma once

#include "kdyn/vehicle/internal/fit.hpp"

namespace kdyn::inline vehicle::internal {

// Parameters of the vehicle and of sensors with their intervals, and what the decays do not tell apart.
void report_parameters(VehicleFitResult& result, const Unknowns& unknowns, const WeightedFit& fit,
                       const Covariance& covariance);

// Parameters of a model-free method; it knows no intervals.
void report_plain(VehicleFitResult& result, const Vehicle<double>& vehicle, bool symmetric);

}  // namespace kdyn::inline vehicle::internal
