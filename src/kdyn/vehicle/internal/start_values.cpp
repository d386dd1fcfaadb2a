// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/start_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"

namespace kdyn::internal {

ModelFree model_free(const DecaySet& set, ModalMethod method, int stack, bool symmetric) {
  DecayModalOptions modal;
  modal.method = method;
  modal.stack = stack;
  const StateBlocks plain = state_blocks(identify_modes(set, 0, modal)), loaded = state_blocks(identify_modes(set, 1, modal));
  ModelFree out;
  out.matrices = physical_matrices(plain, loaded, set.added.front());
  out.vehicle = vehicle_from_matrices(out.matrices, {.symmetric = symmetric, .known_structure = nullptr});
  return out;
}

namespace {

// [vehicle E28] A useful added mass is a tenth of what it is added to; bodies bounce near 1.2 Hz and wheels hop near 11 Hz, damped by 0.3.
Vehicle<double> sized_by(const AddedMass& added) {
  constexpr double bounce = 2.0 * std::numbers::pi * 1.2, hop = 2.0 * std::numbers::pi * 11.0, damping = 0.3;
  const std::array<double, vehicle_dofs> share = {1.0, 1.8, 0.28, 0.03, 0.03, 0.03, 0.03};  // of the sprung mass, where nothing was added
  double ms = 0.0;
  for (int i = vehicle_dofs - 1; i >= 0; --i)
    if (added[static_cast<std::size_t>(i)] > 0.0) ms = 10.0 * added[static_cast<std::size_t>(i)] / share[static_cast<std::size_t>(i)];
  if (!(ms > 0.0)) ms = 1500.0;
  const auto inertia = [&](int i) {
    return added[static_cast<std::size_t>(i)] > 0.0 ? 10.0 * added[static_cast<std::size_t>(i)] : share[static_cast<std::size_t>(i)] * ms;
  };
  Vehicle<double> v;
  v.ms = inertia(0), v.Iyy = inertia(1), v.Ixx = inertia(2);
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    v.mu[at] = inertia(3 + i);
    v.ks[at] = 0.25 * v.ms * bounce * bounce;
    v.kt[at] = v.mu[at] * hop * hop;
    v.cs[at] = 2.0 * damping * 0.25 * v.ms * bounce;
  }
  v.a = v.b = std::sqrt(v.Iyy / v.ms);
  v.tf = v.tr = 1.4 * std::sqrt(v.Ixx / v.ms);
  return v;
}

}  // namespace

std::vector<Vehicle<double>> start_vehicles(const DecaySet& set, const VehicleFitOptions& options, const ModelFree* realised) {
  const Vehicle<double> sized = sized_by(set.added.empty() ? AddedMass{} : set.added.front());
  std::vector<Vehicle<double>> starts;
  if (!options.start.empty()) starts.push_back(sized);  // becomes what the user says, below
  if (realised != nullptr) {
    Vehicle<double> vehicle = realised->vehicle, reference = sized;
    const auto values = vehicle.members();
    const auto usual = reference.members();
    // Noise can make single values absurd; those are taken from the size of the added mass.
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(*values[i] > 0.2 * *usual[i] && *values[i] < 5.0 * *usual[i])) *values[i] = *usual[i];
    starts.push_back(vehicle);
  }
  starts.push_back(sized);
  const auto& parameters = vehicle_parameters(options.symmetric);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto members = starts[i].members();
    const auto set_all = [&](const std::map<std::string, double>& given) {
      for (const VehicleParameter& p : parameters)
        if (const auto it = given.find(p.name); it != given.end())
          for (const int m : p.members) *members[static_cast<std::size_t>(m)] = it->second;
    };
    if (i == 0) set_all(options.start);
    set_all(options.fixed);
  }
  return starts;
}

}  // namespace kdyn::internal
