// SPDX-License-Identifier: Apache-2.0
// What the added mass does to the result: whether the decays believe it, and how far it is known.
#pragma once

#include "kdyn/vehicle/internal/fit.hpp"

namespace kdyn::inline vehicle::internal {

// [vehicle E25] Each added mass against all others; with several configurations the loads of each; and all of them
// together, which shows only beside a fixed mass, stiffness or damping.
std::vector<AddedMassCheck> check_added_mass(const Likelihood& likelihood, const WeightedFit& fit, const DecaySet& set,
                                             bool symmetric);

// Whether the decays disagree with this added mass.
bool is_wrong(const AddedMassCheck& check);

// Where they do, the vehicle has no intervals: masses, stiffnesses and dampings rest on it, and lengths on its place.
void doubt_added_mass(VehicleFitResult& result);

// [vehicle E37] Adds what a common factor of all added masses with the standard deviation `std` does to the unknowns.
// False when nothing in the test checks that factor.
bool add_scale_uncertainty(const Likelihood& likelihood, const WeightedFit& fit, double std, Covariance& covariance);

// The vehicle was weighed as well: whether that agrees; and what rests on the added mass where nothing checks it.
void check_scale_of(VehicleFitResult& result, const VehicleFitOptions& options, bool scale_checked);

}  // namespace kdyn::inline vehicle::internal
