// SPDX-License-Identifier: Apache-2.0
// The weighted solutions of the maximum-likelihood fit [vehicle E24] and what follows from the last one.
#pragma once

#include <optional>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/internal/likelihood.hpp"

namespace kdyn::inline vehicle::internal {

// What is found: logarithms of the free parameters (metres where a length may have either sign), then gains, delays and
// places of channels.
struct ChannelUnknown {
  int channel = 0;
  ChannelValue what = ChannelValue::gain;
  double std = 0.0;  // about the assumed value as far as that is known before; 0: nothing is known
};
struct Unknowns {
  bool symmetric = true;
  VehicleLayout layout;
  std::vector<int> free;            // indices into vehicle_parameters(symmetric, layout)
  std::optional<double> wheelbase;  // b follows from a
  std::vector<ChannelUnknown> channel;

  Eigen::Index count() const { return static_cast<Eigen::Index>(free.size() + channel.size()); }
  Eigen::VectorXd theta_of(const Assumed& assumed) const;
  Assumed at(const Eigen::VectorXd& theta, const Assumed& base) const;  // base: what is not free
  std::vector<Direction> directions(const Assumed& assumed) const;
};
std::vector<ChannelUnknown> channel_unknowns(const std::vector<DecayChannel>& channels);
inline constexpr double delay_unit = 0.01;  // s: theta has entries of like size

struct WeightedFit {
  bool converged = false, stopped = false;
  std::string reason;
  Assumed assumed;
  ChannelValues sigma{};
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;  // of the unknowns; rows of prior knowledge at the end
  double variance = 1.0;     // s^2 of the weighted residuals
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0;
  double distance = 0.0;   // to the best fit with the last weights, in standard deviations of residuals of variance 1
  double objective = 0.0;  // minus twice the log likelihood, for comparing starts
};

// rough: one solution with the given weights, to a tenth of a standard deviation, which is enough to compare starts and
// cuts; its `sigma` is what the residuals say. full: weights and solution settled.
enum class Effort { rough, full };

WeightedFit fit_weighted(const Likelihood& likelihood, const Unknowns& unknowns, const Assumed& start,
                         const ChannelValues& sigma, const VehicleFitOptions& options, Progress& progress,
                         Effort effort = Effort::full);

// First sample of the decay in every measured record, judged with a fitted vehicle [vehicle E21]: the earliest instant
// from which on short pieces of the record are free motions of this vehicle within the noise. Later than `start_s` only
// while the wheels are lifted; smaller residuals are a misfit of the vehicle and stay in.
std::vector<double> refine_starts(const DecaySet& measured, const Assumed& assumed, const std::vector<double>& start_s,
                                  std::int64_t average, bool remove_offset);

// [vehicle E25] What a small change of one thing would have to be for the best fit, all that is free fitted along.
struct Score {
  double change = 0.0, std = 0.0;  // infinite std: the decays do not tell
};
std::vector<Score> scores(const Likelihood& likelihood, const WeightedFit& fit,
                          const std::vector<Direction>& directions);

}  // namespace kdyn::inline vehicle::internal
