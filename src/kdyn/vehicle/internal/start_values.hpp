// SPDX-License-Identifier: Apache-2.0
// Start values of the maximum-likelihood fit, most promising first.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/modal_identification.hpp"

namespace kdyn::inline vehicle::internal {

// Parameters by a model-free method and eqs [vehicle E13-E15]; throws when it does not find seven modes in both
// configurations.
struct ModelFree {
  PhysicalMatrices matrices;
  Vehicle<double> vehicle;
};
ModelFree model_free(const DecaySet& set, ModalMethod method, int stack, bool symmetric);

// What the user says, what the realisation algorithm says where it is physical, and a vehicle of the size of the added
// mass [vehicle E28].
std::vector<Vehicle<double>> start_vehicles(const DecaySet& set, const VehicleFitOptions& options,
                                            const ModelFree* realised);

// Vehicles of other kinds, from karts to buses, on a coarse grid of mass, bounce, wheel hop and damping [vehicle E28]:
// the `count` whose free decays come nearest to the measured ones, best first.
std::vector<Vehicle<double>> searched_starts(const DecaySet& set, const VehicleFitOptions& options,
                                             const std::function<double(const Vehicle<double>&)>& misfit,
                                             std::size_t count);

}  // namespace kdyn::inline vehicle::internal
