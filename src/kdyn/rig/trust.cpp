// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/trust.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/data/bench_fields.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/rig/excitation.hpp"

namespace kdyn::inline rig {
namespace {

// [rig E14] The same ten seconds of random motion again and again: a mount with a memory that fades or returns answers
// alike from the second time on, one that drifts moves on by as much every time.
constexpr double period_s = 10.0;
// Of rms 1. Kept for the next mount: a batch examines thousands of them on one path, and making it costs more than the
// simulation.
const Excitation& random_path(std::uint64_t seed) {
  thread_local std::optional<std::pair<std::uint64_t, Excitation>> kept;
  if (!kept || kept->first != seed) kept.emplace(seed, random_excitation(1.0, 0.2, 60.0, 1.0, period_s, 500.0, seed));
  return kept->second;
}

double growth_of_mean(Mount& mount, const TrustOptions& options, double u0) {
  const Excitation& path = random_path(options.seed);
  const std::size_t n = path.time.size() - 1;  // the last sample is the first of the next time
  const double step = path.time[1] - path.time[0],
               slope = (path.displacement[n] - path.displacement[0]) / (static_cast<double>(n) * step);
  const auto times = static_cast<std::size_t>(std::max(4.0, std::round(options.duration_s / period_s)));
  std::vector<double> t, u;
  for (std::size_t i = 0; i <= n * times; ++i) {
    t.push_back(static_cast<double>(i) * step);
    u.push_back(u0 + options.amplitude * (path.displacement[i % n] - slope * static_cast<double>(i % n) * step));
  }
  const std::vector<double> force = simulate(mount, t, u);
  std::vector<double> mean(times, 0.0);
  for (std::size_t i = 0; i < n * times; ++i)
    mean[i / n] += (force[i] - mount.static_force(u[i])) / static_cast<double>(n);
  return std::abs(mean[times - 1] - mean[1]);
}

double work_of(const std::vector<double>& u, const std::vector<double>& force, std::size_t from) {
  double work = 0.0;
  for (std::size_t i = from + 1; i < u.size(); ++i) work += 0.5 * (force[i] + force[i - 1]) * (u[i] - u[i - 1]);
  return work;
}

// Steady periodic motion of five random harmonics: work of the last of several periods.
double periodic_work(Mount& mount, const TrustOptions& options, double u0, std::uint64_t task) {
  constexpr std::size_t samples = 400, periods = 6;
  RandomStream random(options.seed, task);
  const double frequency = random.uniform(0.5, 10.0);
  std::vector<double> amplitude, phase;
  for (int h = 1; h <= 5; ++h) {
    amplitude.push_back(options.amplitude * random.uniform(-1.0, 1.0));
    phase.push_back(two_pi * random.uniform());
  }
  std::vector<double> t, u, v;
  for (std::size_t i = 0; i <= samples * periods; ++i) {
    t.push_back(static_cast<double>(i) / (static_cast<double>(samples) * frequency));
    if (i >= samples) {
      u.push_back(u[i - samples]);
      v.push_back(v[i - samples]);
      continue;
    }
    double x = u0, rate = 0.0;
    for (std::size_t h = 0; h < 5; ++h) {
      const double w = two_pi * frequency * static_cast<double>(h + 1), angle = w * t.back() + phase[h];
      x += amplitude[h] * std::sin(angle);
      rate += amplitude[h] * w * std::cos(angle);
    }
    u.push_back(x);
    v.push_back(rate);
  }
  return work_of(u, simulate(mount, t, u, v), samples * (periods - 1));
}

// [rig E15] Loading in small steps forward and back, unloading in one go: the cycle with which friction laws that
// forget their past give more than they take. Slow, and repeated until it is steady.
double ratchet_work(Mount& mount, const TrustOptions& options, double u0) {
  std::vector<double> t, u;
  const auto go = [&](double to) {
    t.push_back(t.empty() ? 0.0 : t.back() + 0.05);
    u.push_back(to);
  };
  constexpr int steps = 200;
  std::size_t last_cycle = 0;
  for (int cycle = 0; cycle < 4; ++cycle) {
    last_cycle = u.empty() ? 0 : u.size() - 1;
    if (cycle == 0) go(u0);
    for (int i = 1; i <= steps; ++i) {
      go(u0 + options.amplitude * i / steps);
      if (i < steps) go(u0 + options.amplitude * (i - 0.5) / steps);
    }
    for (int i = steps - 1; i >= 0; --i) go(u0 + options.amplitude * i / steps);
  }
  // Straight pieces: each with its own velocity, so that turning points are the samples themselves.
  mount.start({u.front(), 0.0});
  std::vector<double> force{mount.peek({u.front(), 0.0})};
  for (std::size_t i = 1; i < u.size(); ++i) {
    const double h = t[i] - t[i - 1], v = (u[i] - u[i - 1]) / h;
    mount.change_velocity(v);
    force.push_back(mount.advance({u[i], v}, h));
  }
  return work_of(u, force, last_cycle);
}

}  // namespace

TrustResult examine_trust(const Mount& mount, const TrustOptions& options) {
  const std::unique_ptr<Mount> specimen = mount.clone();
  const double u0 = specimen->static_displacement(options.preload);
  const double stiffness = std::abs(specimen->linear_stiffness(0.01, u0));
  TrustResult result;
  result.axis = options.axis;
  result.drift_force = growth_of_mean(*specimen, options, u0);
  result.drift = result.drift_force / (stiffness * options.amplitude);
  const double scale = stiffness * options.amplitude * options.amplitude;
  result.lowest_work = ratchet_work(*specimen, options, u0) / scale;
  for (int i = 0; i < options.paths; ++i)
    result.lowest_work = std::min(result.lowest_work,
                                  periodic_work(*specimen, options, u0, 100 + static_cast<std::uint64_t>(i)) / scale);
  result.drifts = result.drift > 0.02;
  // Round-off of the trapezoidal work is about 1e-5 of the scale at this sampling.
  result.generates_energy = result.lowest_work < -1e-4;
  result.words = fmt::format(
      "{}; {}",
      result.drifts ? fmt::format("drifts: its mean force grows by {:.3g} N while the same random motion is repeated",
                                  result.drift_force)
                    : "does not drift",
      result.generates_energy ? "gives out energy on a closed path with micro-reversals"
                              : "takes energy on every path tried");
  return result;
}

const FieldTable& fields_of(const TrustResult*) {
  using T = TrustResult;
  static const FieldTable table = FieldTable::results<T>("trust", [](FieldTable& t) {
    t.add(&T::drift, "drift_rel", "-", "Growth of the mean force under random motion, over stiffness times rms");
    add_on_axis<T>(
        t, [](const T& r) { return r.axis; }, [](const T& r) { return r.drift_force; },
        {"drift_n", "N", "drift_nm", "N*m"}, "The same as a force or moment");
    t.add(&T::drifts, "drifts", "-", "Whether it is more than 2 %");
    t.add(&T::lowest_work, "lowest_work_rel", "-",
          "Smallest work over a closed path, over stiffness times amplitude^2");
    t.add(&T::generates_energy, "generates_energy", "-", "Whether it is negative: energy from nothing");
    t.add(&T::words, "words", "-", "The verdict in one sentence");
  });
  return table;
}

}  // namespace kdyn::inline rig
