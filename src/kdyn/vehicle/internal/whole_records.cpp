// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/whole_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kdyn/numerics/statistics.hpp"
#include "kdyn/vehicle/internal/search.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

// Largest mean square, over the records, of what the vehicle leaves of the samples before the cuts, over the noise and
// over what chance allows: above 1 there was excitation.
double excess_before_cuts(const DecayLikelihood& likelihood, const DecaySet& whole, const Assumed& assumed,
                          const ChannelValues& noise, const std::vector<double>& cut_s) {
  const std::vector<Eigen::MatrixXd> model = likelihood.model(assumed, noise);
  double worst = 0.0;
  for (std::size_t i = 0; i < whole.records.size(); ++i) {
    const DecayRecord& record = whole.records[i];
    const auto rows = std::min<Eigen::Index>(record.samples.rows(),
                                             static_cast<Eigen::Index>(std::ceil(cut_s[i] / record.interval - 1e-9)));
    if (rows == 0) continue;
    Eigen::MatrixXd r = record.samples.topRows(rows) - model[i].topRows(rows);
    for (Eigen::Index c = 0; c < r.cols(); ++c) r.col(c) /= noise[static_cast<std::size_t>(c)];
    const auto count = static_cast<double>(r.size());
    // A mean square of `count` normal numbers, four standard deviations up; a tenth for the noise, which is estimated.
    worst = std::max(worst, r.squaredNorm() / count / (1.1 * (1.0 + 4.0 * std::sqrt(2.0 / count))));
  }
  return worst;
}

}  // namespace

PreparedDecays with_one_start(const DecaySet& measured, const DecayOptions& options, PreparedDecays prepared) {
  constexpr double nearly_s = 0.1,
                   share = 0.1;  // later by at most this, and by at most this share of the shortest record
  if (prepared.start_s.empty()) return prepared;
  const auto [first, last] = std::minmax_element(prepared.start_s.begin(), prepared.start_s.end());
  double shortest = std::numeric_limits<double>::infinity();
  for (const DecayRecord& r : prepared.set.records)
    shortest = std::min(shortest, r.interval * static_cast<double>(r.samples.rows()));
  const double later = *last - *first;
  if (later == 0.0 || later > std::min(nearly_s, share * shortest)) return prepared;
  return prepare_decays(measured, options, std::vector<double>(prepared.start_s.size(), *last));
}

bool fit_whole_records(const DecaySet& measured, const VehicleFitOptions& options, const Unknowns& unknowns,
                       const WeightedFit& cut, PreparedDecays& prepared, WeightedFit& fit, Progress& progress) {
  constexpr double apart = 4.5;  // standard deviations: 1 in 10 000 for 15 parameters
  const std::vector<double>& cut_s = prepared.start_s;
  if (!cut.converged || std::all_of(cut_s.begin(), cut_s.end(), [](double s) { return s == 0.0; })) return false;
  PreparedDecays whole = prepare_decays(measured, options.decays, std::vector<double>(cut_s.size(), 0.0));
  const DecayLikelihood likelihood(whole.set, options.decays.remove_offset);
  const ChannelValues noise = first_weights(whole.set);
  // Free decays are met within some iterations; excitation is met never.
  VehicleFitOptions brief = options;
  brief.max_iterations = std::min<std::int64_t>(brief.max_iterations, 25);
  WeightedFit found = fit_weighted(likelihood, unknowns, cut.assumed, noise, brief, progress, Effort::rough);
  const auto excited = [&] {
    return !found.residuals.allFinite() || excess_before_cuts(likelihood, whole.set, found.assumed, noise, cut_s) > 1.0;
  };
  if (excited()) return false;
  found = fit_weighted(likelihood, unknowns, found.assumed, noise, options, progress);
  if (!found.converged || excited()) return false;
  const Covariance open = covariance_of(cut.jacobian);
  const Eigen::VectorXd moved = unknowns.theta_of(found.assumed) - unknowns.theta_of(cut.assumed);
  for (Eigen::Index i = 0; i < moved.size(); ++i)
    if (!(std::abs(moved[i]) <= apart * std::sqrt(cut.variance) * open.standard_deviation[i])) return false;
  found.iterations += cut.iterations, found.evaluations += cut.evaluations;
  found.cost_history.insert(found.cost_history.begin(), cut.cost_history.begin(), cut.cost_history.end());
  prepared = std::move(whole);
  fit = std::move(found);
  return true;
}

}  // namespace kdyn::inline vehicle::internal
