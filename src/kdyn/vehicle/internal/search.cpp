// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/vehicle/internal/driven.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

// Values that no start lies near: the search has run away. A hundred times away from a start of the same fit is farther
// than any error of a guess.
bool ran_away(const Vehicle<double>& found, const Vehicle<double>& start) {
  Vehicle<double> a = found, b = start;
  const auto x = a.members(), y = b.members();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool lever = x[i] == &a.a || x[i] == &a.b || x[i] == &a.b3;  // of either sign
    if (lever ? !(std::abs(*x[i]) < 50.0) : !(*x[i] > 0.01 * *y[i] && *x[i] < 100.0 * *y[i])) return true;
  }
  return !(a.a + std::max(a.b, a.layout.axles > 2 ? a.b3 : a.b) > 0.05);
}

bool free_decays(const DecaySet& set) {
  return std::none_of(set.records.begin(), set.records.end(), [](const DecayRecord& r) { return r.road.rows() > 0; });
}

// Fewer samples rank starts as well as all of them, and find the way from there, much sooner.
DecaySet fewer_samples(const DecaySet& set) {
  DecaySet out = set;
  if (free_decays(set)) {
    // Wheels hop at up to 25 Hz, of which a hundred samples a second show all.
    constexpr double enough_hz = 80.0;
    for (DecayRecord& r : out.records) {
      const auto block = static_cast<Eigen::Index>(1.0 / (enough_hz * r.interval));
      const Eigen::Index rows = block > 1 ? r.samples.rows() / block : 0;
      if (rows <= 2 * DecayLikelihood::shortest_record(set.layout)) continue;
      Eigen::MatrixXd means(rows, r.samples.cols());
      for (Eigen::Index k = 0; k < rows; ++k) means.row(k) = r.samples.middleRows(k * block, block).colwise().mean();
      r.samples = std::move(means);
      r.interval *= static_cast<double>(block);
    }
    return out;
  }
  constexpr double length_s = 1.5;
  out.records.clear();
  for (const DecayRecord& r : set.records) {
    if (std::any_of(out.records.begin(), out.records.end(), [&](const DecayRecord& b) { return b.config == r.config; }))
      continue;
    out.records.push_back(r);
    const auto rows = std::min<Eigen::Index>(r.samples.rows(), static_cast<Eigen::Index>(length_s / r.interval));
    out.records.back().samples = r.samples.topRows(rows).eval();
  }
  return out;
}

}  // namespace

ChannelValues first_weights(const DecaySet& set) {
  ChannelValues sigma = estimate_noise(set);
  for (std::size_t c = 0; c < sigma.size(); ++c) {
    double size = 0.0;
    for (const DecayRecord& r : set.records)
      size = std::max(size, r.samples.col(static_cast<Eigen::Index>(c)).cwiseAbs().maxCoeff());
    if (!(size > 0.0))
      throw_bad_input("data", fmt::format("channel {} is zero in every record", set.channels[c].name),
                      "check the sensor and its cable");
    sigma[c] = std::max(sigma[c], 1e-6 * size);
  }
  return sigma;
}

DecaySet without_channels(const DecaySet& set, const std::vector<int>& channels) {
  std::vector<int> kept;
  for (int c = 0; c < set.channel_count(); ++c)
    if (std::find(channels.begin(), channels.end(), c) == channels.end()) kept.push_back(c);
  DecaySet out = set;
  out.channels.clear();
  for (const int c : kept) out.channels.push_back(set.channels[static_cast<std::size_t>(c)]);
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    out.records[i].samples.resize(set.records[i].samples.rows(), static_cast<Eigen::Index>(kept.size()));
    for (std::size_t k = 0; k < kept.size(); ++k)
      out.records[i].samples.col(static_cast<Eigen::Index>(k)) = set.records[i].samples.col(kept[k]);
  }
  return out;
}

double worst_over_noise(const WeightedFit& fit, const ChannelValues& noise) {
  double worst = 0.0;
  for (std::size_t c = 0; c < noise.size(); ++c) worst = std::max(worst, fit.sigma[c] / noise[c]);
  return worst;
}

WeightedFit search(const Likelihood& likelihood, const Unknowns& unknowns, const DecaySet& set,
                   std::vector<Vehicle<double>> starts, const ChannelValues& noise, const VehicleFitOptions& options,
                   Progress& progress, std::size_t searched) {
  WeightedFit best;
  bool has_best = false, searched_already = searched == 0;
  VehicleFitOptions quick = options;
  constexpr std::int64_t patience = 40, brief_patience = 20;
  // Free decays are searched with fewer samples; on a measured road those only rank starts.
  const DecaySet fewer = fewer_samples(set);
  const bool decays = free_decays(set);
  std::unique_ptr<Likelihood> brief;
  if (decays) brief = std::make_unique<DecayLikelihood>(fewer, options.decays.remove_offset);
  const Likelihood& on = decays ? *brief : likelihood;
  const ChannelValues met = decays ? first_weights(fewer) : noise;
  // A start of the wrong kind of vehicle creeps: it is given up soon while better ones can be looked for, and taken up
  // again when those fail.
  const std::vector<Vehicle<double>> first = starts;
  const std::size_t brief_ones = searched_already || !options.start.empty() ? 0 : first.size();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    quick.max_iterations = std::min(options.max_iterations, i < brief_ones ? brief_patience : patience);
    WeightedFit fit = fit_weighted(on, unknowns, {starts[i], set.channels}, met, quick, progress, Effort::rough);
    if (fit.converged && ran_away(fit.assumed.vehicle, starts[i])) {
      fit.converged = false;
      fit.reason =
          "a value ran away to where no vehicle is: the decays do not determine it, or the initial guess is too far "
          "off";
    }
    // The likelihood decides; a fit that ran away or was cut short counts only where there is no other.
    const bool better = !has_best || (fit.converged && !best.converged) ||
                        (fit.converged == best.converged && fit.objective < best.objective);
    if (better) best = std::move(fit);
    has_best = true;
    // Met to the noise: there is nothing better to find.
    if (best.stopped || (best.converged && worst_over_noise(best, met) < 1.5)) break;
    if (i + 1 == starts.size() && !searched_already && options.start.empty()) {
      searched_already = true;
      Eigen::VectorXd r;
      std::unique_ptr<Likelihood> ranking;
      if (decays)
        ranking = std::make_unique<DecayLikelihood>(fewer, options.decays.remove_offset, false);
      else
        ranking = std::make_unique<DrivenLikelihood>(fewer, options.decays.remove_offset);
      const auto misfit = [&](const Vehicle<double>& vehicle) {
        return ranking->evaluate({vehicle, set.channels}, met, r, {}, nullptr)
                   ? r.squaredNorm()
                   : std::numeric_limits<double>::infinity();
      };
      for (const Vehicle<double>& start : searched_starts(set, options, misfit, searched)) starts.push_back(start);
      starts.insert(starts.end(), first.begin(), first.end());
    }
  }
  if (best.stopped || !decays) return best;
  quick.max_iterations = std::min(options.max_iterations, patience);
  WeightedFit all = fit_weighted(likelihood, unknowns, best.assumed, noise, quick, progress, Effort::rough);
  all.iterations += best.iterations, all.evaluations += best.evaluations;
  all.cost_history.insert(all.cost_history.begin(), best.cost_history.begin(), best.cost_history.end());
  if (all.converged && !best.converged && worst_over_noise(all, noise) > 1.5)
    all.converged = false, all.reason = best.reason;
  return all;
}

WeightedFit settle(const Likelihood& likelihood, const Unknowns& unknowns, const WeightedFit& rough,
                   const ChannelValues& noise, const VehicleFitOptions& options, Progress& progress) {
  if (rough.stopped) return rough;
  WeightedFit last = fit_weighted(likelihood, unknowns, rough.assumed, options.reweightings > 0 ? rough.sigma : noise,
                                  options, progress);
  last.iterations += rough.iterations, last.evaluations += rough.evaluations;
  last.cost_history.insert(last.cost_history.begin(), rough.cost_history.begin(), rough.cost_history.end());
  if (last.converged && (ran_away(last.assumed.vehicle, rough.assumed.vehicle) ||
                         (!rough.converged && worst_over_noise(last, noise) > 1.5)))
    last.converged = false, last.reason = rough.reason;
  return last;
}

}  // namespace kdyn::inline vehicle::internal
