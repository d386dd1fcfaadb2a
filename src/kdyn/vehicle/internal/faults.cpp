// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/faults.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/signal/channel_fault.hpp"
#include "kdyn/vehicle/internal/checks.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

constexpr double met = 1.5;     // times the noise: nothing is wrong with these channels
constexpr double unseen = 1e6;  // weight of a channel that must not speak

// The fit of a set whose channels may differ from those the unknowns were made for.
WeightedFit fit_of(const DecaySet& set, Unknowns unknowns, const VehicleFitOptions& options,
                   const std::vector<Vehicle<double>>& starts, Progress& progress) {
  unknowns.channel = channel_unknowns(set.channels);
  const DecayLikelihood likelihood(set, options.decays.remove_offset);
  VehicleFitOptions quick = options;
  quick.max_iterations = std::min<std::int64_t>(quick.max_iterations, 25);
  return search(likelihood, unknowns, set, starts, first_weights(set), quick, progress, 0);
}

// What channel c should show, from the others; and what it shows of that.
class Expected {
 public:
  Expected(const DecaySet& set, int c, const Vehicle<double>& vehicle, const VehicleFitOptions& options)
      : set_(set),
        c_(c),
        assumed_{vehicle, set.channels},
        likelihood_(set, options.decays.remove_offset),
        sigma_(first_weights(set)) {
    sigma_[static_cast<std::size_t>(c)] *= unseen;
  }

  struct Match {
    double factor = 0.0, share = 0.0;  // share of the measured channel that is explained
  };
  Match at(double delay) {
    assumed_.channels[static_cast<std::size_t>(c_)].delay_s = delay;
    double yp = 0.0, pp = 0.0, yy = 0.0;
    const std::vector<Eigen::MatrixXd> model = likelihood_.model(assumed_, sigma_);
    for (std::size_t i = 0; i < model.size(); ++i) {
      const auto y = set_.records[i].samples.col(c_);
      const auto p = model[i].col(c_);
      yp += y.dot(p), pp += p.squaredNorm(), yy += y.squaredNorm();
    }
    return {pp > 0.0 ? yp / pp : 0.0, pp > 0.0 && yy > 0.0 ? yp * yp / (pp * yy) : 0.0};
  }
  // Best delay within 30 ms.
  double delay() {
    const double known = set_.channels[static_cast<std::size_t>(c_)].delay_s;
    double best = known, step = 2e-3;
    double share = at(best).share;
    for (int k = -15; k <= 15; ++k)
      if (const double s = at(known + k * step).share; s > share) share = s, best = known + k * step;
    for (; step > 2e-5; step *= 0.5)
      for (const double t : {best - 0.5 * step, best + 0.5 * step})
        if (const double s = at(t).share; s > share) share = s, best = t;
    return best - known;
  }
  double rms() {
    double square = 0.0, count = 0.0;
    for (const Eigen::MatrixXd& m : likelihood_.model(assumed_, sigma_))
      square += m.col(c_).squaredNorm(), count += static_cast<double>(m.rows());
    return std::sqrt(square / std::max(count, 1.0));
  }

 private:
  const DecaySet& set_;
  int c_;
  Assumed assumed_;
  DecayLikelihood likelihood_;
  ChannelValues sigma_;
};

Finding describe(const DecayChannel& channel, Expected& expected) {
  const double delay = expected.delay();
  const Expected::Match match = expected.at(channel.delay_s + delay);
  return describe_fault(channel.name, channel.unit(), {match.factor, delay, match.share});
}

// A gyro whose two axes fit when it is turned about the vertical axis [vehicle E38].
std::optional<Finding> turned_gyro(const DecaySet& set, const Unknowns& unknowns, const VehicleFitOptions& options,
                                   const std::vector<Vehicle<double>>& starts, Progress& progress) {
  constexpr double quarter = 0.25 * two_pi;
  for (int c = 0; c < set.channel_count(); ++c)
    for (int d = c + 1; d < set.channel_count() && !progress.stop_requested(); ++d) {
      const DecayChannel &one = set.channels[static_cast<std::size_t>(c)],
                         &two = set.channels[static_cast<std::size_t>(d)];
      const auto gyro = [](const DecayChannel& x) { return x.angle && x.kind == MotionKind::velocity; };
      if (!gyro(one) || !gyro(two) || one.sensor() != two.sensor() || one.turns_with >= 0) continue;
      const DecaySet others = without_channels(set, {c, d});
      const WeightedFit without = fit_of(others, unknowns, options, starts, progress);
      if (!without.converged || worst_over_noise(without, first_weights(others)) > met) continue;
      for (int k = 0; k < 4; ++k) {
        DecaySet turned = set;
        for (const int i : {c, d}) {
          DecayChannel& channel = turned.channels[static_cast<std::size_t>(i)];
          channel.turns_with = set.channel_count(), channel.turn_to(quarter * k);
        }
        const WeightedFit fit = fit_of(turned, unknowns, options, {without.assumed.vehicle}, progress);
        if (!fit.converged || worst_over_noise(fit, first_weights(turned)) > met) continue;
        const double turn = std::remainder(fit.assumed.channels[static_cast<std::size_t>(c)].turn_z, two_pi);
        return describe_turned(
            one.sensor(), fmt::format("by {:.1f} degrees about the vertical axis", turn / degree),
            fmt::format(
                "give its rotation, or \"turn\": [0, 0, {:.4f}] beyond it, or let the fit find it: \"unknown\": "
                "[\"orientation\"]",
                turn));
      }
    }
  return std::nullopt;
}

}  // namespace

std::vector<int> dead_channels(const DecaySet& measured, const DecaySet& set, const Unknowns& unknowns,
                               const VehicleFitOptions& options, const std::vector<Vehicle<double>>& starts,
                               Progress& progress) {
  const std::vector<double> noise = estimate_noise(set);
  std::vector<int> silent, dead;
  for (int c = 0; c < set.channel_count(); ++c)
    if (channel_rms(set, c) < noise_only * noise[static_cast<std::size_t>(c)]) silent.push_back(c);
  if (silent.empty()) return {};
  // Roll of a well-damped vehicle may be over before the part that is fitted begins.
  const DecaySet whole =
      prepare_decays(measured, options.decays, std::vector<double>(measured.records.size(), 0.0)).set;
  const std::vector<double> whole_noise = estimate_noise(whole);
  std::erase_if(silent,
                [&](int c) { return channel_rms(whole, c) >= noise_only * whole_noise[static_cast<std::size_t>(c)]; });
  if (silent.empty() || set.channel_count() - static_cast<int>(silent.size()) < 3) return {};
  const WeightedFit fit = fit_of(without_channels(set, silent), unknowns, options, starts, progress);
  if (!fit.converged) return {};
  for (const int c : silent)
    if (Expected(set, c, fit.assumed.vehicle, options).rms() > 2.0 * noise_only * noise[static_cast<std::size_t>(c)])
      dead.push_back(c);
  return dead;
}

std::vector<Finding> find_faults(const DecaySet& set, const Unknowns& unknowns, const VehicleFitOptions& options,
                                 const WeightedFit& spoilt, const std::vector<Vehicle<double>>& first_starts,
                                 std::optional<Vehicle<double>>& better, Progress& progress) {
  const int channels = set.channel_count();
  if (channels < 4) return {};
  // The weights of a spoilt fit have gone away from the channel that does not belong to the others: it comes first.
  const ChannelValues noise = first_weights(set);
  std::vector<int> order(static_cast<std::size_t>(channels));
  std::iota(order.begin(), order.end(), 0);
  const auto off = [&](int c) {
    return spoilt.sigma[static_cast<std::size_t>(c)] / noise[static_cast<std::size_t>(c)];
  };
  std::stable_sort(order.begin(), order.end(), [&](int c, int d) { return off(c) > off(d); });
  // A wrong unit drives the vehicle far away: the starts of the fit are tried as well.
  std::vector<Vehicle<double>> starts = {spoilt.assumed.vehicle};
  starts.insert(starts.end(), first_starts.rbegin(), first_starts.rend());
  constexpr std::size_t tried_channels = 12, tried_pairs = 36;
  for (std::size_t i = 0; i < std::min(order.size(), tried_channels) && !progress.stop_requested(); ++i) {
    const int c = order[i];
    const DecaySet others = without_channels(set, {c});
    const WeightedFit fit = fit_of(others, unknowns, options, starts, progress);
    if (!fit.converged || worst_over_noise(fit, first_weights(others)) > met) continue;
    // A search that had ended badly may find its way from here with all channels.
    const WeightedFit all = fit_of(set, unknowns, options, {fit.assumed.vehicle}, progress);
    if (all.converged && worst_over_noise(all, noise) < met) {
      better = all.assumed.vehicle;
      return {};
    }
    Expected expected(set, c, fit.assumed.vehicle, options);
    return {describe(set.channels[static_cast<std::size_t>(c)], expected)};
  }
  if (std::optional<Finding> turned = turned_gyro(set, unknowns, options, starts, progress)) return {*turned};
  // Two cables exchanged.
  struct Pair {
    double off;
    int c, d;
  };
  std::vector<Pair> pairs;
  for (int c = 0; c < channels; ++c)
    for (int d = c + 1; d < channels; ++d)
      if (set.channels[static_cast<std::size_t>(c)].unit() == set.channels[static_cast<std::size_t>(d)].unit())
        pairs.push_back({std::log(off(c)) + std::log(off(d)), c, d});
  std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.off > y.off; });
  if (pairs.size() > tried_pairs) pairs.resize(tried_pairs);
  for (const auto& [size, c, d] : pairs) {
    if (progress.stop_requested()) break;
    DecaySet exchanged = set;
    for (DecayRecord& r : exchanged.records) r.samples.col(c).swap(r.samples.col(d));
    const WeightedFit fit = fit_of(exchanged, unknowns, options, starts, progress);
    if (!fit.converged || worst_over_noise(fit, first_weights(exchanged)) > met) continue;
    return {
        describe_swap(set.channels[static_cast<std::size_t>(c)].name, set.channels[static_cast<std::size_t>(d)].name)};
  }
  return {};
}

}  // namespace kdyn::inline vehicle::internal
