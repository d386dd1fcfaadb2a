// SPDX-License-Identifier: Apache-2.0
// The weighted solutions of the maximum-likelihood fit [vehicle E24] and what follows from the last one.
#pragma once

#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/internal/likelihood.hpp"

namespace kdyn::inline vehicle::internal {

struct Unknowns {
  bool symmetric = true;
  std::vector<int> free;  // indices into vehicle_parameters(symmetric)
  std::vector<DecayLikelihood::Direction> directions() const;
};

struct WeightedFit {
  bool converged = false, stopped = false;
  std::string reason;
  Vehicle<double> vehicle;
  ChannelValues sigma{};
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;  // of the free parameters
  double variance = 1.0;     // s^2 of the weighted residuals
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0;
  double objective = 0.0;  // minus twice the log likelihood, for comparing starts
};

WeightedFit fit_weighted(const DecayLikelihood& likelihood, const Unknowns& unknowns, const Vehicle<double>& start,
                         const ChannelValues& sigma, const VehicleFitOptions& options, Progress& progress);

// First sample of the decay in every measured record, judged with a fitted vehicle [vehicle E21]: the earliest instant
// from which on short pieces of the record are free motions of this vehicle within the noise. Later than `start_s` only
// while the wheels are lifted; smaller residuals are a misfit of the vehicle and stay in.
std::vector<double> refine_starts(const DecaySet& measured, const Vehicle<double>& vehicle,
                                  const std::vector<double>& start_s, std::int64_t average, bool remove_offset);

std::vector<AddedMassCheck> check_added_mass(const DecayLikelihood& likelihood, const WeightedFit& fit, bool symmetric);

}  // namespace kdyn::inline vehicle::internal
