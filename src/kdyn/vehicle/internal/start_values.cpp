// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/start_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline vehicle::internal {

ModelFree model_free(const DecaySet& set, ModalMethod method, int stack, bool symmetric) {
  DecayModalOptions modal;
  modal.method = method;
  modal.stack = stack;
  const StateBlocks plain = state_blocks(identify_modes(set, 0, modal)),
                    loaded = state_blocks(identify_modes(set, 1, modal));
  ModelFree out;
  out.matrices = physical_matrices(plain, loaded, set.added.front());
  out.vehicle = vehicle_from_matrices(out.matrices, {.symmetric = symmetric, .known_structure = nullptr});
  return out;
}

namespace {

// What a vehicle of unknown kind is taken for [vehicle E28].
struct Guess {
  double share = 10.0;  // mass of the vehicle over the mass that was added
  double bounce_hz = 1.2, hop_hz = 11.0, damping = 0.3;
  double wheel = 1.0;   // wheel mass over what the share says
  double length = 1.0;  // wheelbase over what the places of sensors and masses say
};

// Lengths that the places of sensors and point masses tell: they are spread over the vehicle.
struct Spread {
  double length = 0.0, half_track = 0.0;  // 0: nothing tells
};
Spread spread_of(const DecaySet& set) {
  double low = 0.0, high = 0.0, side = 0.0;
  const auto place = [&](double x, double y) {
    low = std::min(low, x), high = std::max(high, x), side = std::max(side, std::abs(y));
  };
  for (const DecayChannel& c : set.channels)
    if (c.body != 0.0 && !c.from_cg) place(c.x, c.y);
  for (const auto& points : set.points)
    for (const PointMass& p : points)
      if (p.wheel < 0) place(p.x, p.y);
  return {high - low, side};
}

Vehicle<double> sized_by(const DecaySet& set, const VehicleFitOptions& options, const Guess& guess) {
  AddedMass added = set.added.empty() ? AddedMass{} : set.added.front();
  double points = 0.0;
  if (!set.points.empty())
    for (const PointMass& p : set.points.front())
      if (p.wheel < 0) points += p.mass;
  const Spread spread = spread_of(set);
  double length = options.wheelbase_m ? *options.wheelbase_m : guess.length * spread.length;
  if (!(length > 0.3)) length = 0.0;
  const double bounce = two_pi * guess.bounce_hz, hop = two_pi * guess.hop_hz;
  const std::array<double, vehicle_dofs> share = {1.0,  1.8,  0.28, 0.03,
                                                  0.03, 0.03, 0.03};  // of the sprung mass, where nothing was added
  double ms = 0.0;
  for (int i = vehicle_dofs - 1; i >= 0; --i)
    if (added[static_cast<std::size_t>(i)] > 0.0)
      ms = guess.share * added[static_cast<std::size_t>(i)] / share[static_cast<std::size_t>(i)];
  if (points > 0.0) ms = guess.share * (points + added[0]);
  if (!(ms > 0.0)) ms = 1500.0;
  const auto inertia = [&](int i) {
    return added[static_cast<std::size_t>(i)] > 0.0 ? guess.share * added[static_cast<std::size_t>(i)]
                                                    : share[static_cast<std::size_t>(i)] * ms;
  };
  Vehicle<double> v;
  v.layout = set.layout;
  v.ms = ms, v.Iyy = inertia(1), v.Ixx = inertia(2);
  if (added[0] > 0.0 && points == 0.0) v.ms = inertia(0);
  if (length > 0.0 && added[1] == 0.0) v.Iyy = 0.24 * v.ms * length * length;
  if (spread.half_track > 0.2 && added[2] == 0.0) v.Ixx = 0.5 * v.ms * spread.half_track * spread.half_track;
  const double wheels = set.layout.wheels(), corner = v.ms / wheels;
  for (int i = 0; i < set.layout.wheels(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    v.mu[at] = guess.wheel * (i < 4 ? inertia(3 + i) : inertia(6));
    v.ks[at] = corner * bounce * bounce;
    v.kt[at] = v.mu[at] * hop * hop;
    v.cs[at] = 2.0 * guess.damping * corner * bounce;
  }
  v.a = v.b = std::sqrt(v.Iyy / v.ms);
  v.tf = v.tr = v.t3 = 1.4 * std::sqrt(v.Ixx / v.ms);
  if (length > 0.0) v.a = v.b = 0.5 * length;
  if (set.layout.axles > 2) v.b = 0.35 * (v.a + v.b), v.b3 = v.a;  // a tandem behind
  if (set.layout.hitch) {
    v.hitch = v.a, v.kh = v.ks[0] + v.ks[1], v.ch = v.cs[0] + v.cs[1];
    v.a = 0.1 * v.hitch;
  }
  return v;
}

void set_parameters(Vehicle<double>& vehicle, const std::map<std::string, double>& given, bool symmetric) {
  const auto members = vehicle.members();
  for (const VehicleParameter& p : vehicle_parameters(symmetric, vehicle.layout))
    if (const auto it = given.find(p.name); it != given.end())
      for (const int m : p.members) *members[static_cast<std::size_t>(m)] = it->second;
}

void keep_wheelbase(Vehicle<double>& vehicle, const VehicleFitOptions& options) {
  if (!options.wheelbase_m) return;
  if (vehicle.a >= *options.wheelbase_m) vehicle.a = 0.5 * *options.wheelbase_m;
  vehicle.b = *options.wheelbase_m - vehicle.a;
}

}  // namespace

std::vector<Vehicle<double>> start_vehicles(const DecaySet& set, const VehicleFitOptions& options,
                                            const ModelFree* realised) {
  const Vehicle<double> sized = sized_by(set, options, {});
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
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (i == 0) set_parameters(starts[i], options.start, options.symmetric);
    set_parameters(starts[i], options.fixed, options.symmetric);
    keep_wheelbase(starts[i], options);
  }
  return starts;
}

std::vector<Vehicle<double>> searched_starts(const DecaySet& set, const VehicleFitOptions& options,
                                             const std::function<double(const Vehicle<double>&)>& misfit,
                                             std::size_t count) {
  struct Candidate {
    double misfit;
    Guess guess;
    Vehicle<double> vehicle;
  };
  std::vector<Candidate> found;
  const auto look = [&](const Guess& guess) {
    Vehicle<double> vehicle = sized_by(set, options, guess);
    set_parameters(vehicle, options.fixed, options.symmetric);
    keep_wheelbase(vehicle, options);
    if (const double value = misfit(vehicle); std::isfinite(value)) found.push_back({value, guess, vehicle});
  };
  const auto best_first = [&] {
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.misfit < b.misfit; });
  };
  for (const double share : {4.0, 10.0, 25.0})
    for (const double bounce : {0.7, 1.1, 1.8, 2.9, 4.7})
      for (const double damping : {0.12, 0.35, 0.8}) look({share, bounce, bounce < 2.0 ? 11.0 : 18.0, damping, 1.0});
  best_first();
  // The wheels, on the bodies that fit best.
  std::vector<Guess> bodies;
  for (std::size_t i = 0; i < std::min((count + 1) / 2, found.size()); ++i) bodies.push_back(found[i].guess);
  for (Guess guess : bodies)
    for (const double hop : {6.0, 9.0, 14.0, 22.0})
      for (const double wheel : {0.4, 1.0, 2.5}) guess.hop_hz = hop, guess.wheel = wheel, look(guess);
  best_first();
  // Lengths, where the places of sensors are all that is known of them.
  if (spread_of(set).length > 0.0 && !options.wheelbase_m) {
    bodies.clear();
    for (std::size_t i = 0; i < std::min(count, found.size()); ++i) bodies.push_back(found[i].guess);
    for (Guess guess : bodies)
      for (const double length : {0.6, 1.6}) guess.length = length, look(guess);
  }
  best_first();
  std::vector<Vehicle<double>> out;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) out.push_back(found[i].vehicle);
  return out;
}

}  // namespace kdyn::inline vehicle::internal
